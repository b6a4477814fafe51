// The page's frame: the news of the daemon, which view is shown, and what people do in it. Text is only set as text.
import { bring, button, isRemote, make, setRemote, setTexts, t } from "./elements.js";
import { entry, logIn, logOut } from "./entry.js";
import { chosenJobs, firstView } from "./first.js";
import { choose, historyView, load, refresh, search } from "./history.js";
import { needsView, nextEmpty, propose, showLeaves, turnLeaf } from "./needs.js";
import { nowView } from "./now.js";
import { addSamples, loadRules, meanwhile, rulesView, trySample, typed, unsaved, work } from "./rules.js";
import { call, enter, fetchFile, leave, send } from "./session.js";
import { refreshUse, useView } from "./use.js";

const AGAIN = 2000;  // milliseconds until a line that was cut is taken up again
const VIEWS = ["now", "needs", "history", "use", "rules"];
const find = (id) => document.getElementById(id);

let picture = null;
let needs = null;
let view = "now";

function say(text) {
  find("said").textContent = text;
}

function headline(text) {
  if (find("headline").textContent !== text) find("headline").textContent = text;
}

// ---------- the news ----------

// Server-sent events over fetch: unlike EventSource it shows the session in a header.
async function listen() {
  try {
    const reader = (await call("/api/feed")).body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (text + part.value).split("\n\n");
      text = events.pop();
      for (const event of events.filter((one) => one.startsWith("data: "))) await take(JSON.parse(event.slice(6)));
    }
  } catch (error) {
    console.debug(error.message);
  }
}

// Nothing is shown any more but a sentence.
function clear(text) {
  bring(find("content"), [make("p", {}, text)]);
  bring(find("views"), []);
  bring(find("program"), []);
  headline("");
  say("");
  document.title = "Paperchute";
  find("pause").hidden = true;
  picture = null;
}

// On this machine the page ends with its line: sessions end with the daemon, and whatever answers at its port afterwards
// need not be Paperchute. Over the network it comes back by itself: telephones sleep, and the address stays.
async function stay() {
  let { inside, rules } = await entry();
  if (inside === null) {
    await listen();
    leave();
    const lines = unsaved();
    clear(t("ended"));
    // What was typed can still be read and copied; nobody is left who could save it.
    if (lines.length) find("content").append(make("h2", {}, t("editor-unsaved")), make("pre", { tabindex: "0", role: "region", "aria-label": t("editor-unsaved") }, lines.join("\n")));
    return;
  }
  setRemote(rules);
  for (;;) {
    if (inside) await listen();
    clear(inside === undefined ? t("lost") : "");
    if (inside === false) await logIn(find("content"), say);
    else await new Promise((resolve) => setTimeout(resolve, AGAIN));
    inside = (await entry().catch(() => ({}))).inside;
  }
}

async function take(latest) {
  const stale = picture?.needs !== latest.needs;
  picture = latest;
  if (stale || !needs) needs = await (await call("/api/needs")).json();
  if (view === "history") await refresh(picture);
  if (view === "use") await refreshUse(picture).catch((error) => console.debug(error.message));
  draw();
}

const SHOWN = { now: () => (picture.first.length ? firstView(picture.first) : nowView(picture)), needs: () => needsView(needs), history: () => historyView(), use: () => useView(), rules: () => rulesView() };

function draw() {
  if (!picture) return;
  document.title = picture.attention ? `(${picture.attention}) Paperchute` : "Paperchute";
  headline(picture.headline);
  find("pause").hidden = false;
  find("pause").textContent = t(picture.paused ? "resume" : "pause");
  bring(find("views"), VIEWS.map(link));
  bring(find("content"), SHOWN[view]());
  bring(find("program"), program(picture));
  for (const field of document.querySelectorAll("[data-leaves]")) showLeaves(field);
  for (const image of document.querySelectorAll("img[data-drawn]")) drawn(image);
  for (const image of document.querySelectorAll("img[data-thumbnail]:not(.asked)")) {
    image.classList.add("asked");
    coming.observe(image);
  }
}

// Pictures are drawn when they come into sight: of a long history most never do.
const coming = new IntersectionObserver((entries) => {
  for (const { target } of entries.filter((one) => one.isIntersecting)) {
    coming.unobserve(target);
    thumbnail(target);
  }
});

function program({ starts, quits, paused }) {
  const rest = paused ? [] : ["hour", "tomorrow"].map((until) => button(t(`pause-${until}`), `/api/daemon/pause-${until}`, { "data-key": until }));
  if (isRemote()) return [...rest, make("button", { type: "button", "data-log-out": true, "data-key": "log-out" }, t("log-out"))];
  const at = starts === null ? rest : [...rest, button(t("at-login"), `/api/program/autostart-${starts ? "off" : "on"}`, { "aria-pressed": starts ? "true" : "false", "data-key": "at-login" })];
  return quits ? [...at, button(t("quit"), "/api/program/quit", { "data-key": "quit" })] : at;
}

function link(name) {
  const count = name === "needs" && picture.attention ? [" ", make("span", { class: "count" }, String(picture.attention))] : [];
  return make("a", { href: `#${name}`, "data-key": name, "aria-current": name === view ? "page" : false }, t(name), ...count);
}

// A picture that came with an answer; the policy of the page lets it be shown by an address of its own making only.
function drawn(image) {
  if (image.of === image.dataset.drawn) return;
  image.of = image.dataset.drawn;
  image.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(image.of), (one) => one.charCodeAt(0))], { type: "image/png" }));
}

async function thumbnail(image) {
  try {
    const { thumbnail: job, page, asked } = image.dataset;
    const drawn = await (await call(`/api/jobs/${job}/${asked ? `asked/${asked}` : page ? `pages/${page}` : "thumbnail"}`)).blob();
    image.src = URL.createObjectURL(drawn);
  } catch {
    image.hidden = true;
  }
}

// ---------- what people do ----------

const underWay = new Set();

// Do what is asked for, and not once more while that is under way: a second click would come too late, and be told so.
async function once(what, work) {
  if (underWay.has(what)) return;
  underWay.add(what);
  try {
    await work();
  } finally {
    underWay.delete(what);
  }
}

async function act(path, body) {
  try {
    await call(path, { method: "POST", body });
    say(t("done-call"));
    return true;
  } catch (error) {
    say(t("failed-call", { reason: error.message }));
    return false;
  }
}

// Send what was answered for a document; the next one that asks has the focus then.
async function answered(form) {
  const next = nextEmpty(form);
  const path = `/api/jobs/${form.dataset.answer}/answer`;
  if (await act(path, JSON.stringify(Object.fromEntries(new FormData(form))))) (next ?? find("content")).focus();
}

// Whether a rule takes files of these names, and there is room; what is refused while it is sent is seldom heard.
function roomFor(id, files, names = []) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return call(`/api/folders/${id}/room`, { method: "POST", body: [size, ...names.map((name) => name.replace(/[\r\n]/g, "_"))].join("\n") });
}

async function drop({ drop: id, name: folder }, files) {
  try {
    if (files.length) await roomFor(id, files, files.map(({ name }) => name));
  } catch (error) {
    say(t("not-sent", { name: files.map(({ name }) => name).join(", "), reason: error.message }));
    return;
  }
  for (const file of files) {
    try {
      const { name } = await send(`/api/folders/${id}/${encodeURIComponent(file.name)}`, file, sending(file.name));
      say(t("sent", { name, folder }));
    } catch (error) {
      say(t("not-sent", { name: file.name, reason: error.message }));
      return;
    }
  }
}

function sending(name, from = 0, share = 1) {
  return (part) => say(t("sending", { name, percent: Math.floor((from + part * share) * 100) }));
}

// A folder is sent file by file, and is in the hot folder when all of them have come: half of it would be no set.
async function dropFolder({ drop: id, name: folder }, name, files) {
  let set = null;
  try {
    await roomFor(id, files.map(({ file }) => file));
    ({ set } = await (await call(`/api/folders/${id}/sets/${encodeURIComponent(name)}`, { method: "POST" })).json());
    let taken = 0;
    for (const [number, { path, file }] of files.entries()) {
      const told = sending(name, number / files.length, 1 / files.length);
      taken += (await send(`/api/sets/${set}/${path.map(encodeURIComponent).join("/")}`, file, told)).taken;
    }
    const placed = await (await call(`/api/sets/${set}/placed`, { method: "POST", body: String(taken) })).json();
    say([t("sent", { name: placed.name, folder }), taken < files.length ? t("left-hidden") : ""].join(" ").trim());
  } catch (error) {
    say(t("not-sent", { name, reason: error.message }));
    if (set) await call(`/api/sets/${set}/forgotten`, { method: "POST" }).catch((gone) => console.debug(gone.message));
  }
}

// What was dropped is told by the event alone, so it is asked for before anything is waited for.
async function dropped(place, { items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry?.isDirectory);
  const loose = [...files].filter((file) => !entries.some((entry) => entry.name === file.name));
  const target = { ...place.dataset };
  await drop(target, loose);
  for (const entry of entries) {
    try {
      await dropFolder(target, entry.name, await inside(entry));
    } catch (error) {
      say(t("not-sent", { name: entry.name, reason: error.message }));
    }
  }
}

// The files of a folder and of those in it, each with its path; a browser lists some hundred at a time.
async function inside(folder, path = []) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const entry of some) {
      const its = [...path, entry.name];
      if (entry.isDirectory) found.push(...await inside(entry, its));
      else found.push({ path: its, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    }
  }
}

// A folder that was chosen: each file says its path, which begins with the folder's name.
async function chosenFolder(place, files) {
  const paths = files.map((file) => ({ file, path: file.webkitRelativePath.split("/") }));
  if (paths.length) await dropFolder({ ...place.dataset }, paths[0].path[0], paths.map(({ file, path }) => ({ file, path: path.slice(1) })));
}

// A choice in the history; what it has to say is told, and what it shows gets the focus.
async function chosen(choice) {
  try {
    const said = await choose(choice);
    draw();
    if (said) say(said);
    const preview = `[data-choice="preview"][data-job="${choice.dataset.job}"]`;
    const next = find("chosen") ?? (choice.isConnected ? choice : document.querySelector(preview) ?? find("content"));
    next.focus();
  } catch (error) {
    draw();
    say(t("failed-call", { reason: error.message }));
  }
}

// Samples are tried: one as a whole, or further ones for what was picked on that.
async function tried(files, trying = ([file]) => trySample(file)) {
  if (!files.length) return;
  say(t("trial-runs", { name: files.map(({ name }) => name).join(", ") }));
  try {
    say(await trying(files));
  } catch (error) {
    say(t("failed-call", { reason: error.message }));
  }
  draw();
}

// What is done in the workshop; the focus stays, or goes to what has opened.
async function worked(control, event) {
  say(meanwhile(control));
  try {
    const said = await work(control, event);
    draw();
    say(said);
    const { workshop, name } = control.dataset;
    const same = [...document.querySelectorAll(`[data-workshop="${workshop}"]`)].find((one) => one.dataset.name === name);
    const next = find("workshop") ?? document.querySelector("[aria-invalid]") ?? (control.isConnected ? control : same);
    (next ?? find("editor-title") ?? find("content")).focus();
  } catch (error) {
    draw();
    say(t("failed-call", { reason: error.message }));
  }
}

addEventListener("click", (event) => {
  if (event.detail > 1) {
    event.preventDefault();  // the second of a double click: what it hits, be it a link, may have come there since the first
    return;
  }
  if (event.target.id === "pause") once("pause", () => act(`/api/daemon/${picture.paused ? "resume" : "pause"}`));
  const path = event.target.closest("[data-post]")?.dataset.post;
  if (path?.endsWith("/quit") && !confirm(t("quit-ask"))) return;
  if (path) once(path, () => act(path));
  const wanted = event.target.closest("[data-fetch]")?.dataset.fetch;
  if (wanted) once(wanted, () => fetchFile(wanted).catch((error) => say(t("failed-call", { reason: error.message }))));
  if (event.target.closest("[data-log-out]")) logOut().finally(() => location.reload());
  if (event.target.closest("[data-first]")) once("first", () => act("/api/first", JSON.stringify(chosenJobs())));
  const choice = event.target.closest("[data-choice]");
  if (choice) once("choice", () => chosen(choice));
  const fill = event.target.closest("[data-fill]");
  if (fill) {
    const field = document.getElementById(fill.dataset.fill);
    field.value = fill.dataset.value;
    field.focus();
  }
  const leaf = event.target.closest("[data-leaf]");
  if (leaf) turnLeaf(leaf);
  const control = event.target.closest("[data-workshop]");
  if (control) once("workshop", () => worked(control, event));
});
addEventListener("input", (event) => {
  if (event.target.dataset.leaves !== undefined) showLeaves(event.target);
  if (!event.target.dataset.field && !event.target.dataset.pick) return;
  typed(event.target);
  if (event.target.nodeName === "SELECT") draw();  // another operation has other parameters
});
addEventListener("submit", (event) => {
  const { password, answer } = event.target.dataset;
  if (!password && !answer) return;
  event.preventDefault();
  if (password) act(`/api/jobs/${password}/password`, event.target.querySelector("input").value);
  if (answer) once(`answer ${answer}`, () => answered(event.target));
});
addEventListener("keydown", (event) => {
  const field = event.target.closest?.("[data-answer] input");
  if (!field || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const empty = [...field.form.elements].find((one) => one.name && !one.value);
  if (step) propose(field, step);
  else if (event.key === "Enter" && field.value && empty) empty.focus();
  else return;
  event.preventDefault();
});
addEventListener("input", async (event) => {
  if (event.target.id !== "words") return;
  try {
    const said = await search(event.target.value);
    if (said === null) return;  // more was typed meanwhile
    draw();
    say(said);
  } catch (error) {
    say(t("failed-call", { reason: error.message }));
  }
});
addEventListener("change", async (event) => {
  if (event.target.dataset.sample !== undefined) {
    await once("workshop", () => tried([...event.target.files].slice(0, 1)));
    event.target.value = "";
  }
  if (event.target.dataset.further !== undefined) {
    await once("workshop", () => tried([...event.target.files], addSamples));
    event.target.value = "";
  }
  const place = event.target.closest("[data-drop]");
  if (!place) return;
  if (event.target.webkitdirectory) await chosenFolder(place, [...event.target.files]);
  else await drop({ ...place.dataset }, [...event.target.files]);
  event.target.value = "";
});
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  addEventListener(kind, (event) => {
    const place = event.target.closest?.("[data-drop], [data-try], [data-further]");
    event.preventDefault();  // a file dropped beside would be opened in the place of the page
    place?.classList.toggle("over", kind === "dragenter" || kind === "dragover");
    if (!place || kind !== "drop") return;
    const { files } = event.dataTransfer;
    if (place.dataset.drop) dropped(place, event.dataTransfer);
    else if (place.dataset.further !== undefined) once("workshop", () => tried([...files], addSamples));
    else once("workshop", () => tried([...files].slice(0, 1)));
  });
}
addEventListener("hashchange", async () => {
  const wanted = location.hash.slice(1);
  if (!VIEWS.includes(wanted) || wanted === view) return;
  view = wanted;
  say("");
  const coming = { history: load, use: () => refreshUse(picture), rules: loadRules }[view];
  if (coming) await coming().catch((error) => say(t("failed-call", { reason: error.message })));
  draw();
  find("content").focus();
});

async function start() {
  setTexts(await (await fetch("/texts.json")).json());
  document.documentElement.lang = t("language").replace("_", "-");
  find("skip").textContent = t("to-content");
  find("views").setAttribute("aria-label", t("views"));
  await enter();
  if (VIEWS.includes(location.hash.slice(1))) view = location.hash.slice(1);
  if (view === "rules") await loadRules().catch((error) => console.debug(error.message));  // the feed says what is wrong
  headline(t("connecting"));
  await stay();
}

start();
