// The view "Needs you": what failed or lacks something, with what can be done about it, and what is wrong.
import { button, make, section, t } from "./elements.js";

export function needsView(needs) {
  const asked = needs.failed.filter(asks);
  const parts = [
    slips(needs.broken ? "mistakes" : "missing", needs.mistakes),
    part("troubles", needs.troubles.filter((one) => one !== t("mistakes")), "bad"),
    jobs("asked", asked, asked.length, failed),
    jobs("failed", needs.failed.filter((job) => !asks(job)), needs.failed_count - asked.length, failed, button(t("retry-all"), "/api/daemon/retry")),
    jobs("warned", needs.warned, needs.warned.length, warned, button(t("put-all-away"), "/api/daemon/seen")),
    part("untaken", needs.untaken, ""),
    part("advice", needs.advice, "warn", edit()),
  ].filter(Boolean);
  return parts.length ? parts : [make("p", { class: "soft" }, t("all-well"))];
}

function edit() {
  return make("div", { class: "buttons" }, button(t("edit-rules"), "/api/daemon/edit-rules"));
}

// Each mistake with what stands there now, and beside it what stood there when the file was good.
function slips(name, all) {
  if (!all.length) return "";
  const items = all.map((one) => make("li", { class: "card" }, make("p", { class: "bad" }, one.told), one.now.length ? make("div", { class: "beside" },
    text("line-now", one.line, one.now), one.before === null ? "" : text("line-before", one.line, one.before)) : ""));
  return section(name, make("ul", { class: "rows", role: "list" }, items), edit());
}

function text(name, line, lines) {
  return make("figure", { "data-key": name }, make("figcaption", { class: "soft" }, t(name, { line })), make("pre", { tabindex: "0" }, make("code", {}, lines.join("\n") || t("nothing-there"))));
}

function part(name, lines, kind, ...more) {
  if (!lines.length) return "";
  const items = lines.map((line) => make("li", { class: `card ${kind}` }, line));
  return section(name, make("ul", { class: "rows", role: "list" }, items), ...more);
}

function jobs(name, all, count, card, forAll) {
  if (!count) return "";
  const more = count > all.length ? make("p", { class: "soft" }, t("failed-more", { n: count - all.length })) : "";
  return section(name, make("ul", { class: "rows", role: "list" }, all.map(card)), more,
    forAll && all.length > 1 ? make("div", { class: "buttons" }, forAll) : "");
}

// Whether a job waits for an answer about its document, and goes on with it.
function asks(job) {
  return job.unsure.length + job.pages.length > 0;
}

function failed(job) {
  return make("li", { class: job.unsure.length ? "card need asked-of" : job.pages.length ? "card" : "card need", "data-key": job.job }, ...about(job),
    make("p", { class: "bad" }, job.reason), job.is_locked ? password(job) : asks(job) ? answers(job) : job.another ? another(job) : "",
    buttons(job, [[t("retry"), "retry", job.is_locked || job.another || asks(job) ? {} : { class: "first" }], [t("show"), "show"], [t("put-away"), "seen"]]));
}

// The same file again would fail again: another one goes into the hot folder.
function another(job) {
  const choose = make("input", { type: "file", "aria-label": `${t("replace")}: ${job.name}` });
  return make("div", { class: "drop", "data-drop": job.another.folder, "data-name": job.another.name, "data-key": "another" }, make("label", {}, choose, t("replace")));
}

// What is typed here goes to the daemon's memory alone.
function password(job) {
  const id = `password-${job.job}`;
  return make("form", { class: "password", "data-password": job.job, "data-key": "password" },
    make("label", { for: id }, t("password-of", { name: job.name })),
    make("input", { id, type: "password", autocomplete: "off", required: true }),
    make("button", { type: "submit", class: "first", "aria-label": `${t("use-password")}: ${job.name}` }, t("use-password")));
}

// What the document may say, to be chosen or typed; a choice fills the field, and nothing is sent before the button.
function answers(job) {
  return make("form", { class: "answers", "data-answer": job.job, "data-key": "answers" }, job.pages.map((one) => pages(job, one)), job.unsure.map((one) => {
    const id = `answer-${job.job}-${one.field}`;
    return make("div", { "data-key": one.field, role: "group", "aria-labelledby": `${id}-title` },
      make("label", { for: id, id: `${id}-title` }, one.title), make("p", { class: "soft" }, one.reason),
      make("div", { class: "buttons" }, one.candidates.map((other) => make("button", { type: "button", "data-fill": id, "data-value": other.value },
        other.is_none ? t("has-none") : other.page ? t("on-page", other) : other.value))),
      make("input", { id, name: one.field, type: "text", autocomplete: "off", required: true, "aria-describedby": one.candidates.length ? `${id}-keys` : false }),
      one.candidates.length ? make("p", { class: "soft", id: `${id}-keys` }, t("answer-keys")) : "");
  }), make("button", { type: "submit", class: "first", "aria-label": `${t("answer")}: ${job.name}` }, t("answer")));
}

// Pages as pictures, each a button that puts it into the list of pages below or takes it out of that.
function pages(job, one) {
  const id = `answer-${job.job}-${one.field}`;
  return make("div", { class: "paged", "data-key": one.field, role: "group", "aria-labelledby": `${id}-title` },
    make("label", { for: id, id: `${id}-title` }, one.title), job.reason.includes(one.reason) ? "" : make("p", { class: "soft" }, one.reason),
    make("input", { id, name: one.field, type: "text", autocomplete: "off", required: true, value: one.proposed, "data-leaves": true, "aria-describedby": `${id}-keys` }),
    make("p", { class: "soft", id: `${id}-keys` }, t("page-keys")),
    make("ul", { class: one.large ? "leaves large" : "leaves", role: "list" }, one.pages.map(({ page, reason }) => make("li", { "data-key": page },
      make("button", { type: "button", "data-leaf": id, "data-value": page, "aria-describedby": reason ? `${id}-${page}` : false },
        make("img", { "data-thumbnail": job.job, "data-asked": `${one.field}/${page}`, alt: "" }), `${t("page", { page })}: ${one.choice}`),
      reason ? make("p", { class: "soft", id: `${id}-${page}` }, reason) : ""))));
}

const NO_PAGE = "none";

function named(text) {
  const found = new Set();
  for (const part of text.split(",")) {
    const [first, last = first] = part.split("-").map(Number);
    for (let page = first; page >= 1 && page <= last && found.size < 10000; page += 1) found.add(page);
  }
  return found;
}

// Put a page into the list, or take it out of it.
export function turnLeaf({ dataset: { leaf, value } }) {
  const field = document.getElementById(leaf);
  const pages = named(field.value);
  if (!pages.delete(Number(value))) pages.add(Number(value));
  field.value = [...pages].sort((one, other) => one - other).join(",") || NO_PAGE;
  showLeaves(field);
}

// Let the buttons say which pages are in the list.
export function showLeaves(field) {
  const pages = named(field.value);
  for (const leaf of field.parentElement.querySelectorAll("[data-leaf]")) leaf.setAttribute("aria-pressed", String(pages.has(Number(leaf.dataset.value))));
}

// Put the next of what a field may be into it, as the buttons beside it say: down goes on, up goes back.
export function propose(input, step) {
  const values = [...input.parentElement.querySelectorAll("[data-fill]")].map((one) => one.dataset.value);
  const at = values.indexOf(input.value);
  if (values.length) input.value = values[(at < 0 && step < 0 ? values.length - 1 : at + step + values.length) % values.length];
  input.select();
}

// The field that is to be filled in next, in the forms behind this one.
export function nextEmpty(form) {
  const fields = [...document.querySelectorAll("[data-answer] input")];
  return fields.find((one) => (!one.value || one.dataset.leaves !== undefined) && form.compareDocumentPosition(one) === Node.DOCUMENT_POSITION_FOLLOWING);
}

function warned(job) {
  return make("li", { class: "card need", "data-key": job.job }, ...about(job),
    make("ul", {}, job.warnings.map((line) => make("li", { class: "warn" }, line))),
    buttons(job, [...(job.can_recognise ? [[t("recognise"), "recognise", { class: "first" }]] : []), [t("show"), "show"], [t("put-away"), "seen"]]));
}

function about(job) {
  const when = new Date(job.at * 1000).toLocaleString(t("language").replace("_", "-"));
  return [
    job.pages?.length ? "" : make("img", { "data-thumbnail": job.job, ...(job.unsure?.length ? { alt: t("page", job), "data-page": job.page } : { alt: "" }) }),
    make("h3", {}, job.name),
    make("p", { class: "soft" }, [t("rule", { rule: job.rule }), job.operation, when].filter(Boolean).join(" · ")),
  ].filter(Boolean);
}

// The name of the file stands in each label: a list of buttons is read without the cards around them.
function buttons(job, all) {
  return make("div", { class: "buttons" }, all.map(([text, verb, more]) =>
    button(text, `/api/jobs/${job.job}/${verb}`, { "aria-label": `${text}: ${job.name}`, ...more })));
}
