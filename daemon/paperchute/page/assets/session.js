// The session: a ticket from the address becomes one, and every call shows it in a header. Of a session over the network
// that is one half; the other is in a cookie, which no script can read.
import { t } from "./elements.js";

let session = sessionStorage.getItem("session") ?? "";

export function leave() {
  session = "";
  sessionStorage.removeItem("session");
}

export async function enter() {
  const [ticket, view] = location.hash.slice(1).split(".");
  if (!/^[\w-]{43}$/.test(ticket)) return;
  history.replaceState(null, "", view ? `/#${view}` : "/");  // it is spent, and nobody need see it
  const response = await fetch("/api/session", { method: "POST", body: ticket });
  if (response.ok) keep((await response.json()).session);
}

export function keep(given) {
  session = given;
  sessionStorage.setItem("session", session);
}

function refusal(status, body) {
  return body?.reason ?? (status === 401 ? t("logged-out") : `HTTP ${status}`);
}

// The response; throws an Error with a sentence for people.
export async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { Authorization: `Bearer ${session}` } });
  } catch {
    throw new Error(t("lost"));
  }
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw Object.assign(new Error(refusal(response.status, body)), { body });
  }
  return response;
}

// Have the browser keep results as files. It shows no session then, so it is given an address that serves once.
export async function fetchFile(path) {
  const { address } = await (await call(path, { method: "POST" })).json();
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

// Send a file; `sent` hears how much of it has gone, from 0 to 1. fetch cannot tell that.
export function send(path, file, sent) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", path.replace(/%0[AD]/g, "_"));  // what ends a line in a name would end the address, too
    request.setRequestHeader("Authorization", `Bearer ${session}`);
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => sent(event.loaded / (event.total || 1)));
    request.addEventListener("load", () =>
      request.status === 200 ? resolve(request.response) : reject(new Error(refusal(request.status, request.response))));
    request.addEventListener("error", () => reject(new Error(t("lost"))));
    request.send(file);
  });
}
