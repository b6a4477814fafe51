// The view "Rules": what the rule file says, rule by rule; the editor stands in its place while a rule is made.
import { openEditor, set } from "./editor.js";
import { button, isRemote, make, mayChangeRules, section, t } from "./elements.js";
import { call } from "./session.js";
import { FURTHER, openTable } from "./table.js";

let shelf = null;
let form = null;
let editor = null;
let asked = "";  // the rule that may be removed

// Ask anew what the file says. News may have the view drawn meanwhile, which needs both answers or neither.
export async function loadRules() {
  const latest = await (await call("/api/workshop")).json();
  form ??= await (await call("/api/workshop/form")).json();
  shelf = latest;
}

// What a control of this view is for, by its name; a sentence to say, or nothing.
export async function work(element, event) {
  const { workshop: verb, name } = element.dataset;
  if (editor) {
    const { said, ended } = await editor.act(verb, element, event);
    if (ended) {
      editor = null;
      await loadRules();
    }
    return said;
  }
  if (verb === "ask") asked = name;
  else if (verb === "leave") asked = "";
  else if (verb === "new") editor = openEditor(form, shelf, begun(document.querySelector("#begin").value));
  else if (verb === "edit" || verb === "copy") editor = openEditor(form, shelf, ruleOf(name), verb);
  else if (verb === "table") editor = openTable(shelf, name);
  else if (verb === "service") {
    const named = document.querySelector("#service-name").value.trim();
    if (!named) return t("service-unnamed");
    editor = openTable(shelf, `${FURTHER}.${named}`);
  }
  else return change(verb, name);
  return "";
}

// What is to be said while such a control is at work; nothing of what takes no time.
export function meanwhile(element) {
  return ["try-paid", "point", "pick"].includes(element.dataset.workshop) ? t("trial-runs", { name: editor.file.name }) : "";
}

export function trySample(file) {
  return editor.try(file);
}

export function addSamples(files) {
  return editor.addFurther(files);
}

// What stands in the editor and not in the file, line by line.
export function unsaved() {
  return editor?.unsaved() ?? [];
}

export function typed(element) {
  editor?.typed(element);
}

async function change(verb, name) {
  asked = "";
  try {
    await call(`/api/workshop/${verb}`, { method: "POST", body: JSON.stringify({ digest: shelf.digest, name }) });
  } finally {
    await loadRules();
  }
  return t("done-call");
}

function ruleOf(name) {
  return shelf.rules.find((rule) => rule.name === name);
}

function begun(place) {
  return place === "" ? null : { ...form.recipes[Number(place)], name: "" };
}

export function rulesView() {
  if (!shelf) return [make("p", { class: "soft" }, t("connecting"))];
  if (editor) return editor.view();
  if (shelf.mistakes) {
    return [section("mistakes", make("ul", { class: "rows", role: "list" }, shelf.mistakes.map((line) => make("li", { class: "card bad" }, line))),
      make("div", { class: "buttons" }, button(t("edit-rules"), "/api/daemon/edit-rules")))];
  }
  const rules = shelf.rules.map(card);
  const order = make("p", { class: "soft" }, rules.length ? t("rules-order") : t("rules-none"));
  const list = make("ul", { class: "rows", role: "list" }, rules);
  if (!mayChangeRules()) return [section("rules", make("p", { class: "soft" }, t("rules-read-only")), order, list)];
  return [section("rules", order, list, beginning()),
    section("tables", make("ul", { class: "cards", role: "list" }, shelf.tables.map(tableCard)), isRemote() ? make("p", { class: "soft" }, t("tables-here")) : "")];
}

function tableCard({ name, about, keys, values }) {
  if (name === FURTHER) return furtherService(about);
  const title = `[${name}]`;
  return make("li", { class: "card", "data-key": name }, make("h3", {}, title), make("p", { class: "soft" }, about),
    make("p", { class: "soft" }, t("table-set", { n: set(values, keys) })),
    make("div", { class: "buttons" }, make("button", { type: "button", "data-workshop": "table", "data-name": name, "aria-label": `${t("rule-edit")}: ${title}` }, t("rule-edit"))));
}

function furtherService(about) {
  return make("li", { class: "card", "data-key": FURTHER }, make("h3", {}, `[${FURTHER}]`), make("p", { class: "soft" }, about),
    make("div", { class: "beginning", "data-key": "further" },
      make("label", { for: "service-name" }, t("service-name")), make("input", { id: "service-name", type: "text", autocomplete: "off", spellcheck: "false" }),
      make("button", { type: "button", "data-workshop": "service" }, t("service-new"))));
}

function beginning() {
  const choices = [make("option", { value: "" }, t("rules-empty")), ...form.recipes.map((one, place) => make("option", { value: place }, one.title))];
  return make("div", { class: "beginning", "data-key": "beginning" },
    make("label", { for: "begin" }, t("rules-new-from")), make("select", { id: "begin" }, choices),
    make("button", { type: "button", class: "first", "data-workshop": "new" }, t("rules-new")));
}

function card(rule, place) {
  const control = (verb, text, more = {}) => make("button", { type: "button", "data-workshop": verb, "data-name": rule.name, "aria-label": `${text}: ${rule.name}`, ...more }, text);
  const order = [
    place > 0 ? control("up", t("rule-up")) : "",
    place < shelf.rules.length - 1 ? control("down", t("rule-down")) : "",
  ];
  return make("li", { class: "card", "data-key": rule.name },
    make("h3", {}, rule.name), make("p", {}, rule.does),
    make("p", { class: "soft" }, [rule.on ? "" : t("editor-off"), rule.folder, rule.output && t("rule-into", { output: rule.output })].filter(Boolean).join(" · ")),
    make("details", { "data-key": "text", open: document.querySelector(`[data-key="${CSS.escape(rule.name)}"] > details`)?.open }, make("summary", { "aria-label": `${t("rule-text")}: ${rule.name}` }, t("rule-text")), make("pre", { tabindex: "0", "aria-label": rule.name }, rule.text.join("\n"))),
    !mayChangeRules() ? "" : asked === rule.name ? asking(rule, control) : make("div", { class: "buttons", "data-key": "actions" },
      control(rule.on ? "off" : "on", t("rule-on"), { "aria-pressed": rule.on ? "true" : "false" }),
      control("edit", t("rule-edit")), control("copy", t("rule-copy")), order, control("ask", t("rule-remove"))));
}

function asking(rule, control) {
  return make("div", { class: "asking", id: "workshop", tabindex: "-1", role: "group", "aria-labelledby": "asking", "data-key": "asking" },
    make("h4", { id: "asking" }, t("rule-remove-title", { name: rule.name })), make("p", {}, t("rule-remove-about")),
    make("div", { class: "buttons" }, control("remove", t("rule-remove"), { class: "first" }), control("leave", t("rule-stays"))));
}
