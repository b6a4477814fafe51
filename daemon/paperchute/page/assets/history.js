// The view "History": what was done, found by words, with its pictures before and after, and taken back.
import { button, download, make, section, t } from "./elements.js";
import { call } from "./session.js";

const FIRST = 50;
const PAUSE = 150;  // milliseconds after a key, before the search begins

let found = null;
let words = "";
let limit = FIRST;
let asked = 0;
let done = null;
let open = null;  // the job whose taking back is shown: { job, act, preview }, or one of whose results is: { job, seen, result }

// Ask anew; null when another question has been asked meanwhile, else a sentence on what was found.
export async function load() {
  const turn = ++asked;
  const answer = await (await call(`/api/history?words=${encodeURIComponent(words)}&limit=${limit}`)).json();
  if (turn !== asked) return null;
  found = answer;
  if (!words.trim()) return "";
  return found.jobs.length ? t(found.more ? "found-more" : "found", { n: found.jobs.length }) : t("nothing-found");
}

// A job more has ended: what is shown may be another.
export async function refresh(picture) {
  const mark = `${picture.done} ${picture.attention}`;
  if (found && mark === done) return;
  done = mark;
  await load().catch((error) => console.debug(error.message));  // what was found before is shown on
}

export async function search(text) {
  words = text;
  limit = FIRST;
  const turn = ++asked;
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
  return turn === asked ? load() : null;
}

// What a button of this view is for, by its name; a sentence to say, or nothing.
export async function choose(element) {
  const { choice, job, name } = element.dataset;
  if (choice === "more") {
    limit *= 2;
    return load();
  }
  if (choice === "preview" || choice === "preview-again") {
    const act = choice === "preview" ? "undo" : "again";
    open = { job, act, preview: await (await call(`/api/jobs/${job}/${act}`)).json() };
    return "";
  }
  if (choice === "view") {
    const { result, page } = element.dataset;
    open = { job, result, seen: await (await call(`/api/jobs/${job}/results/${result}?page=${page}`)).json() };
    return "";
  }
  open = null;
  if (choice !== "undo" && choice !== "again") return "";
  try {
    await call(`/api/jobs/${job}/${choice}`, { method: "POST" });
  } finally {
    await load();
  }
  return t(choice === "undo" ? "undone" : "made-again", { name });
}

export function historyView() {
  const input = make("input", { id: "words", type: "search", autocomplete: "off", spellcheck: "false" });
  const field = make("div", { class: "search", role: "search", "data-key": "search" }, make("label", { for: "words" }, t("search")), input);
  const none = make("p", { class: "soft" }, t(words.trim() ? "nothing-found" : "nothing-done"));
  const jobs = found?.jobs ?? [];
  const list = jobs.length ? make("ul", { class: "rows", role: "list" }, jobs.map(card)) : none;
  const more = found?.more ? make("div", { class: "buttons" }, make("button", { type: "button", "data-choice": "more" }, t("more"))) : "";
  return [section("history", field, list, more)];
}

function card(one) {
  const when = new Date(one.at * 1000).toLocaleString(t("language").replace("_", "-"));
  const left = one.count - one.results.length;
  return make("li", { class: "card", "data-key": one.job },
    make("h3", {}, one.name),
    make("p", { class: "soft" }, [one.told, when, t("rule", { rule: one.rule })].join(" · ")),
    one.note ? make("p", { class: one.state === "failed" ? "bad" : "soft" }, one.note) : "",
    one.services.length ? make("p", { class: "soft" }, one.services.join(" · ")) : "",
    one.original ? make("p", {}, t("original-at", { path: one.original })) : "",
    one.results.map((path, number) => make("p", {}, t("result-at", { path }), " ", one.count > 1 && one.undoable ? [view(one, number, path), " ",
      download(t("download"), one.job, { "data-fetch": `/api/jobs/${one.job}/results/${number}/fetch`, "aria-label": `${t("download")}: ${path}` })] : "")),
    left > 0 ? make("p", { class: "soft" }, t("results-more", { n: left })) : "",
    one.count ? pictures(one) : "",
    open?.job !== String(one.job) ? actions(one) : open.seen ? seen(one) : asking(one));
}

// Beside each other where there are both; what a picture shows is said by the paths above.
function pictures(one) {
  const places = [[one.job, "before"], [`${one.job}/result`, "after"]].filter((_, place) => one.drawn[place]);
  return places.length ? make("div", { class: "pictures" }, places.map(([place, text]) =>
    make("figure", { "data-key": text }, make("img", { alt: "", "data-thumbnail": place }), make("figcaption", {}, t(text))))) : "";
}

function actions(one) {
  const label = (text) => ({ "aria-label": `${text}: ${one.name}` });
  return make("div", { class: "buttons", "data-key": "actions" },
    one.count ? button(t("open-result"), `/api/jobs/${one.job}/open-result`, label(t("open-result"))) : "",
    one.count ? button(t("show-result"), `/api/jobs/${one.job}/show-result`, label(t("show-result"))) : "",
    one.count === 1 && one.undoable ? view(one, 0, one.results[0]) : "",
    one.count && one.undoable ? download(t(one.count > 1 ? "download-all" : "download"), one.job, label(t("download"))) : "",
    one.undoable ? choiceOf("preview-again", t("make-again"), one) : "",
    one.undoable ? choiceOf("preview", t("undo"), one) : "",
    one.held ? button(t("again"), `/api/jobs/${one.job}/retry`, label(t("again"))) : "");
}

function view(one, number, path, text = t("view"), page = 1) {
  return choiceOf("view", text, one, { "data-result": number, "data-page": page, "aria-label": `${text}: ${path}` });
}

// A result as the daemon has drawn and read it: nothing of the file itself comes here.
function seen(one) {
  const { result, seen: { name, picture, page, pages, text } } = open;
  const turn = (label, to) => (to >= 1 && to <= pages ? view(one, result, name, label, to) : "");
  return make("div", { class: "asking", id: "chosen", tabindex: "-1", role: "group", "aria-labelledby": "asking", "data-key": "seen" },
    make("h4", { id: "asking" }, pages > 1 ? `${name}: ${t("page-of", { page, pages })}` : name),
    picture ? make("img", { class: "leaf", alt: t("page-of", { page, pages }), "data-drawn": picture }) : "",
    text.length ? make("pre", { tabindex: "0", role: "region", "aria-label": t("trial-text") }, text.join("\n")) : picture ? "" : make("p", {}, t("view-none")),
    make("div", { class: "buttons" }, turn(t("page-before"), page - 1), turn(t("page-after"), page + 1), choiceOf("leave", t("view-end"), one)));
}

function choiceOf(choice, text, one, more = {}) {
  return make("button", { type: "button", "data-choice": choice, "data-job": one.job, "data-name": one.name, "aria-label": `${text}: ${one.name}`, ...more }, text);
}

// What taking it back means, before it is done.
function asking(one) {
  const { act, preview } = open;
  const lines = preview.why_not ? [t(`${act}-cannot`, { reason: preview.why_not })] : [
    ...preview.trash.map((path) => t("undo-trash", { path })),
    ...preview.back.map((path) => t("undo-back", { path })),
    ...preview.stays.map((path) => t("undo-stays", { path })),
    ...preview.others.map((name) => t("undo-others", { name })),
    ...preview.notes,
  ];
  return make("div", { class: "asking", id: "chosen", tabindex: "-1", role: "group", "aria-labelledby": "asking", "data-key": "asking" },
    make("h4", { id: "asking" }, t(`${act}-title`, { name: one.name })),
    make("ul", {}, lines.map((line) => make("li", {}, line))),
    make("div", { class: "buttons" },
      preview.why_not ? "" : choiceOf(act, t(act === "undo" ? "undo" : "make-again"), one, { class: "first" }),
      choiceOf("leave", t("undo-leave"), one)));
}
