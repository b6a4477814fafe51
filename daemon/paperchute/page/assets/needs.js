// The view "Needs you": what failed or lacks something, with what can be done about it, and what is wrong.
import { button, make, section, t } from "./elements.js";

export function needsView(needs) {
  const parts = [
    slips(needs.broken ? "mistakes" : "missing", needs.mistakes),
    part("troubles", needs.troubles.filter((one) => one !== t("mistakes")), "bad"),
    jobs("failed", needs.failed, needs.failed_count, failed, button(t("retry-all"), "/api/daemon/retry")),
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
  if (!all.length) return "";
  const more = count > all.length ? make("p", { class: "soft" }, t("failed-more", { n: count - all.length })) : "";
  return section(name, make("ul", { class: "rows", role: "list" }, all.map(card)), more,
    all.length > 1 ? make("div", { class: "buttons" }, forAll) : "");
}

function failed(job) {
  return make("li", { class: "card need", "data-key": job.job }, ...about(job),
    make("p", { class: "bad" }, job.reason), job.is_locked ? password(job) : "",
    buttons(job, [[t("retry"), "retry", job.is_locked ? {} : { class: "first" }], [t("show"), "show"], [t("put-away"), "seen"]]));
}

// What is typed here goes to the daemon's memory alone.
function password(job) {
  const id = `password-${job.job}`;
  return make("form", { class: "password", "data-password": job.job, "data-key": "password" },
    make("label", { for: id }, t("password-of", { name: job.name })),
    make("input", { id, type: "password", autocomplete: "off", required: true }),
    make("button", { type: "submit", class: "first", "aria-label": `${t("use-password")}: ${job.name}` }, t("use-password")));
}

function warned(job) {
  return make("li", { class: "card need", "data-key": job.job }, ...about(job),
    make("ul", {}, job.warnings.map((line) => make("li", { class: "warn" }, line))),
    buttons(job, [...(job.can_recognise ? [[t("recognise"), "recognise", { class: "first" }]] : []), [t("show"), "show"], [t("put-away"), "seen"]]));
}

function about(job) {
  const when = new Date(job.at * 1000).toLocaleString(t("language").replace("_", "-"));
  return [
    make("img", { alt: "", "data-thumbnail": job.job }),
    make("h3", {}, job.name),
    make("p", { class: "soft" }, [t("rule", { rule: job.rule }), job.operation, when].filter(Boolean).join(" · ")),
  ];
}

// The name of the file stands in each label: a list of buttons is read without the cards around them.
function buttons(job, all) {
  return make("div", { class: "buttons" }, all.map(([text, verb, more]) =>
    button(text, `/api/jobs/${job.job}/${verb}`, { "aria-label": `${text}: ${job.name}`, ...more })));
}
