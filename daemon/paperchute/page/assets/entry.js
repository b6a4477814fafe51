// The way in over the network: a form for the password. On the machine itself a ticket lets in (session.js).
import { bring, make, t } from "./elements.js";
import { call, keep, leave } from "./session.js";

// Whether this browser is let in over the network, `inside`, and may change rules; null on this machine, where nobody
// asks for a password.
export async function entry() {
  return (await call("/api/entry")).json();
}

// Show the form until somebody is let in. `say` tells what went wrong.
export async function logIn(content, say) {
  const field = make("input", { id: "password", type: "password", autocomplete: "current-password", required: true });
  const form = make("form", { class: "log-in" },
    make("h2", {}, t("log-in-title")), make("label", { for: "password" }, t("password")), field,
    make("button", { type: "submit", class: "first" }, t("log-in")));
  bring(content, []);
  content.append(form);
  field.focus();
  await new Promise((resolve) => {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const reason = await refused(field.value);
      if (!reason) return resolve();
      say(reason);
      field.select();
      field.focus();
    });
  });
  form.remove();
  say("");
}

async function refused(password) {
  try {
    const response = await fetch("/api/log-in", { method: "POST", body: password });
    const { reason, session } = await response.json();
    if (response.ok) keep(session);
    return response.ok ? "" : reason ?? `HTTP ${response.status}`;
  } catch {
    return t("lost");
  }
}

export async function logOut() {
  await call("/api/log-out", { method: "POST" });
  leave();
}
