// The editor of one rule: fields for what it says, made of what the daemon knows of keys, operations and parameters.
// Only what was changed is sent, so whatever a field cannot show stays in the file as it is.
import { make, t } from "./elements.js";
import { Picking, pointed, sampleView } from "./sample.js";
import { call, send } from "./session.js";

const FIRST = ["name", "folder", "match", "kind"];
const LAST = ["output", "original"];

let opened = 0;

// Values with their lines in one text, as fields have them.
export function whole(values = {}) {
  return Object.fromEntries(Object.entries(values).map(([name, one]) => [name, Array.isArray(one.text) ? { ...one, text: one.text.join("\n") } : one]));
}

export function openEditor(form, shelf, from, verb = "new") {
  const rule = verb === "new" ? "" : from.name;
  const values = whole(from?.values);
  if (verb === "copy") values.name = { kind: "text", text: t("rule-copied", { name: from.name }) };
  return new Editor(form, shelf, rule, verb, values, (from?.steps ?? [{ operation: "pdf-to-editable", parameters: {} }]).map((step) => ({ ...step, parameters: whole(step.parameters) })));
}

// The answer to a question about a draft. Where somebody else has written the file meanwhile, the draft goes on with what
// stands there now, and what they changed is shown.
async function answer(editor, path, question) {
  const body = JSON.stringify({ digest: editor.shelf.digest, ...question });
  try {
    const found = await (await call(`/api/workshop/${path}`, { method: "POST", body })).json();
    editor.changes = null;
    return found;
  } catch (error) {
    if (!error.body?.changes) throw error;
    editor.changes = error.body.changes;
    const gone = editor.goOn(await (await call("/api/workshop")).json());
    throw new Error([t("editor-meanwhile"), gone ? t("editor-gone", { name: gone }) : ""].join(" ").trim());
  }
}

// Saves the draft or looks at it only; what is to be said of that.
export async function ask(editor, verb, path, question, saved) {
  Object.assign(editor, await answer(editor, path, question));
  if (editor.problems.length) return { said: t(verb === "save" ? "editor-wrong" : "editor-faults") };
  if (verb === "look") return { said: t("editor-good") };
  return { said: [saved(), ...editor.warnings].join(" "), ended: true };
}

class Editor {
  constructor(form, shelf, rule, verb, values, steps) {
    this.id = `editor-${++opened}`;
    Object.assign(this, { form, shelf, rule, verb, problems: [], warnings: [], changes: null, trial: null, file: null, picking: new Picking(), numbers: steps.length });
    this.old = verb === "new" ? {} : Object.fromEntries(Object.entries(values).filter(([name]) => verb !== "copy" || name !== "name"));
    this.oldSteps = verb === "new" ? [] : steps;
    this.values = structuredClone(values);
    this.steps = steps.map((step, number) => ({ ...structuredClone(step), of: verb === "new" ? null : number, id: number }));
  }

  async act(verb, element, event) {
    const number = this.steps.findIndex((step) => String(step.id) === element.dataset.step);
    if (verb === "cancel") return { said: "", ended: true };
    if (verb === "add-step") this.steps.push({ operation: this.steps.at(-1)?.operation ?? "pdf-to-editable", parameters: {}, of: null, id: this.numbers++ });
    else if (verb === "remove-step") this.steps.splice(number, 1);
    else if (verb === "try-paid") return { said: await this.try(this.file, true) };
    else if (verb === "point") return { said: await this.pick(pointed(this.trial.sheets, element, event)) };
    else if (verb === "pick") return { said: await this.pick(this.picking.chosen(this.trial.sheets)) };
    else if (verb === "add-field") return { said: await this.addField() };
    else return ask(this, verb, verb, { draft: this.draft() }, () => t("editor-saved", { name: this.values.name?.text }));
    return { said: "" };
  }

  // From another state of the file: what was not touched here is as it is there now. The rule's name where it is gone.
  goOn(shelf) {
    if (shelf.mistakes) return "";
    this.shelf = shelf;
    if (this.verb === "new") return "";
    const now = shelf.rules.find((rule) => rule.name === this.rule);
    const gone = now ? "" : this.rule;
    let was = this.oldSteps;
    const values = whole(now?.values);
    if (this.verb === "copy") delete values.name;
    const steps = (now?.steps ?? []).map((step) => ({ ...step, parameters: whole(step.parameters) }));
    if (now) {
      for (const name of new Set([...Object.keys(this.old), ...Object.keys(values)])) {
        if ((this.values[name]?.text ?? "") !== (this.old[name]?.text ?? "")) continue;
        if (values[name]) this.values[name] = { ...values[name] };
        else delete this.values[name];
      }
      if (this.draft().steps === null) {
        was = steps;
        this.steps = steps.map((step, of) => ({ ...structuredClone(step), of, id: this.numbers++ }));
      }
    } else Object.assign(this, { rule: "", verb: "new" });
    for (const step of this.steps.filter(({ of }) => of !== null && !same(was[of], steps[of]))) {
      step.of = null;  // it is another step by now, and what is not shown of the old one is not known here
      step.parameters = Object.fromEntries(Object.entries(step.parameters).filter(([, { hidden }]) => !hidden));
    }
    Object.assign(this, { old: values, oldSteps: steps });
    return gone;
  }

  // What the rule makes of a sample; a sentence on that.
  async try(file, paid = false) {
    this.file = file;
    this.picking.forget();
    const sample = await this.sent(file);
    Object.assign(this, { trial: null, ...await answer(this, "try", { draft: this.draft(), sample, paid }) });
    return this.trial ? told(this.trial) : t("editor-faults");
  }

  async sent(file) {
    return (await send(`/api/workshop/sample/${encodeURIComponent(file.name)}`, file, () => {})).sample;
  }

  // Find a word of the sample again by its label, its form or its place, on this sample and on further ones.
  async pick(at) {
    if (!at) return t("pick-beside-words");
    Object.assign(this.picking, { at, proposed: null, samples: [] });
    const proposed = await answer(this, "propose", { pick: this.picking.question(this.trial.sheets), find: this.filled("find") });
    if (!await this.find(proposed, [this.file, ...this.picking.further])) return t("editor-faults");
    this.picking.propose(proposed);
    return t("pick-tried", { text: proposed.text, n: this.picking.samples.length });
  }

  // What entries give on samples, one after the other: each is sent, and is gone when it has been looked at.
  async find(proposed, files) {
    const finds = proposed.entries.map((one) => one.find);
    for (const file of files) {
      try {
        const { problems, found } = await answer(this, "find", { draft: this.draft(), sample: await this.sent(file), finds });
        this.problems = problems;
        if (!found) return false;
        this.picking.samples.push({ name: file.name, found });
      } catch (error) {
        if (file === this.file) throw error;
        this.picking.samples.push({ name: file.name, problem: error.message });
      }
    }
    return true;
  }

  async addFurther(files) {
    this.picking.further.push(...files);
    if (!this.picking.proposed) return t("pick-held", { names: this.picking.further.map(({ name }) => name).join(", ") });
    const well = await this.find(this.picking.proposed, files);
    return well ? t("pick-tried", { text: this.picking.proposed.text, n: this.picking.samples.length }) : t("editor-faults");
  }

  // Put the chosen entry into the fields of the form; it is in the file once the rule is saved.
  async addField() {
    if (this.values.find?.hidden) return t("editor-hidden");
    const { proposed, entry, name, use, samples } = this.picking;
    const chosen = { name, find: proposed.entries[entry].find, use };
    const { values } = await answer(this, "add", { chosen, find: this.filled("find"), output: this.values.output?.text ?? "" });
    Object.assign(this.values, values);
    for (const [field, { text }] of Object.entries(values)) document.getElementById(`${this.id}--${field}`).value = text;
    this.trial.fields.push({ ...samples[0].found[entry], field: name, title: name });
    this.picking.forget();
    Object.assign(this, await answer(this, "look", { draft: this.draft() }));
    return [t("pick-added", { name }), this.problems.length ? t("editor-faults") : ""].join(" ").trim();
  }

  // A field as it is filled in; nothing where it is not.
  filled(name) {
    const { kind, text } = this.values[name] ?? {};
    return text ? { kind, text } : null;
  }

  view() {
    return editorView(this);
  }

  typed(element) {
    if (element.dataset.pick) return this.picking.typed(element);
    const { field, step } = element.dataset;
    const of = this.steps.find((one) => String(one.id) === step);
    if (field === "operation") {
      of.operation = element.value;
      of.parameters = {};
      of.of = null;
      return;
    }
    const values = of ? of.parameters : this.values;
    const about = (of ? this.operation(of).parameters : this.form.keys).find((one) => one.name === field);
    values[field] = { kind: values[field]?.kind ?? about.kind, text: element.value };
  }

  operation(step) {
    return this.form.operations.find((one) => one.id === step.operation) ?? { id: step.operation, title: step.operation, takes: "", gives: "", parameters: [] };
  }

  unsaved() {
    const lines = (values) => Object.entries(values).filter(([, filled]) => filled).map(([name, { text }]) => `${name}: ${text}`);
    const { keys, steps } = this.draft();
    const found = [...lines(keys), ...(steps ?? []).flatMap(({ operation, parameters }) => [`operation: ${operation}`, ...lines(parameters).map((line) => `  ${line}`)])];
    return found.length && this.rule ? [`name: ${this.rule}`, ...found] : found;
  }

  draft() {
    const steps = this.steps.map((step) => ({ operation: step.operation, of: step.of, parameters: changed(step.of === null ? {} : this.oldSteps[step.of].parameters, step.parameters) }));
    const same = steps.length === this.oldSteps.length && steps.every((step, number) => step.of === number && !Object.keys(step.parameters).length);
    return { rule: this.rule, is_copy: this.verb === "copy", keys: changed(this.old, this.values), steps: same ? null : steps };
  }
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function changed(old, values) {
  const found = {};
  for (const [name, { kind, text, hidden }] of Object.entries(values)) {
    const was = old[name];
    if (hidden || (was?.hidden && !text) || text === (was?.text ?? "")) continue;
    found[name] = text === "" ? null : { kind, text };
  }
  return found;
}

function told({ taken, taker, open, name }) {
  return taken && open ? t("trial-open", { name, fields: open }) : taken ? t("trial-taken", { name }) : taker ? t("trial-other", { name, rule: taker }) : t("trial-none", { name });
}

function editorView(editor) {
  const field = (name) => fieldOf(editor, editor.form.keys.find((one) => one.name === name), editor.values[name], "", true);
  const more = editor.form.keys.filter((one) => ![...FIRST, ...LAST].includes(one.name));
  return [make("section", { "data-key": editor.id, "aria-labelledby": "editor-title" },
    make("h2", { id: "editor-title", tabindex: "-1" }, editor.verb === "edit" ? t("editor-of", { name: editor.rule }) : t("editor-new")),
    FIRST.map(field),
    editor.steps.map((step, place) => stepOf(editor, step, place)),
    make("div", { class: "buttons", "data-key": "add" }, control("add-step", t("editor-step-add"))),
    LAST.map(field),
    group(editor, "more", t("editor-more", { n: set(editor.values, more) }), more.map((one) => fieldOf(editor, one, editor.values[one.name], ""))),
    trialOf(editor),
    ending(editor))];
}

// What somebody else has changed, what is wrong and has no field, what looks like a mistake; and how to end.
export function ending(editor) {
  const lost = editor.problems.filter((one) => !one.field);
  return [
    editor.changes ? make("div", { class: "card", "data-key": "changes" }, make("h3", {}, t("editor-changes")), make("p", { class: "warn" }, t("editor-meanwhile")),
      editor.changes.length ? make("pre", { tabindex: "0", role: "region", "aria-label": t("editor-changes") }, editor.changes.join("\n")) : "") : "",
    lost.map((one) => make("p", { class: "bad" }, one.message)),
    editor.warnings.length ? make("div", { "data-key": "warnings" }, make("h3", {}, t("editor-warnings")), make("ul", {}, editor.warnings.map((one) => make("li", { class: "warn" }, one)))) : "",
    make("div", { class: "buttons", "data-key": "ending" },
      control("save", t("editor-save"), { class: "first" }), control("look", t("editor-check")), control("cancel", t("editor-cancel"))),
  ].flat();
}

function control(verb, text, more = {}) {
  return make("button", { type: "button", "data-workshop": verb, ...more }, text);
}

export function set(values, fields) {
  return fields.filter(({ name }) => values[name]?.hidden || values[name]?.text).length;
}

function group(editor, key, title, children) {
  const wrong = children.some((one) => one.querySelector("[aria-invalid]"));
  return make("details", { class: "card", "data-key": key, open: wrong || document.querySelector(`[data-key="${editor.id}"] [data-key="${key}"]`)?.open }, make("summary", {}, title), children);
}

function stepOf(editor, step, place) {
  const about = editor.operation(step);
  const id = `${editor.id}-${step.id}-operation`;
  const choices = editor.form.operations.map((one) => make("option", { value: one.id, selected: one.id === step.operation }, `${one.title} (${one.takes} → ${one.gives})`));
  if (!editor.form.operations.some((one) => one.id === step.operation)) choices.unshift(make("option", { value: step.operation, selected: true }, step.operation));
  const wrong = editor.problems.filter((one) => one.field === `${place}/operation`);
  return make("fieldset", { class: "card", "data-key": `step-${step.id}` },
    make("legend", {}, t("editor-step", { n: place + 1 })),
    make("label", { for: id }, t("editor-operation")),
    make("select", { id, "data-field": "operation", "data-step": step.id, "aria-invalid": wrong.length > 0 && "true" }, choices),
    wrong.map((one) => make("p", { class: "bad" }, one.message)),
    group(editor, `parameters-${step.id}-${step.operation}`, t("editor-parameters", { n: set(step.parameters, about.parameters) }),
      about.parameters.map((one) => fieldOf(editor, one, step.parameters[one.name], step.id, false, place))),
    editor.steps.length > 1 ? make("div", { class: "buttons", "data-key": "remove" }, control("remove-step", t("editor-step-remove", { n: place + 1 }), { "data-step": step.id })) : "");
}

// One field: its name, its input, what it means, and what is wrong with it.
export function fieldOf(editor, about, value, step, named = false, place = "") {
  const id = `${editor.id}-${step}-${about.name}`;
  const kind = value?.kind ?? about.kind;
  const wrong = editor.problems.filter((one) => one.field === (step === "" ? about.name : `${place}/${about.name}`));
  const meaning = named ? make("p", { class: "soft", id: `${id}-about` }, t(`editor-${about.name}-about`)) : make("p", { class: "soft", id: `${id}-about` }, about.meaning);
  const old = (step === "" ? editor.old : editor.oldSteps[editor.steps[place].of]?.parameters)?.[about.name];
  const notes = [old?.hidden ? t("editor-hidden") : "", kind === "toml" ? t("editor-toml") : ""].filter(Boolean);
  const attributes = {
    id, "data-field": about.name, "data-step": step, "aria-describedby": [`${id}-about`, notes.length && `${id}-note`, wrong.length && `${id}-wrong`].filter(Boolean).join(" "),
    "aria-invalid": wrong.length > 0 && "true",
  };
  return make("div", { class: "field", "data-key": `field-${id}` },
    make("label", { for: id }, named ? t(`editor-${about.name}`) : about.name), input(kind, about, value?.text ?? "", attributes), meaning,
    notes.length ? make("p", { class: "soft", id: `${id}-note` }, notes.join(" ")) : "",
    wrong.length ? make("p", { class: "bad", id: `${id}-wrong` }, wrong.map((one) => one.message).join(" ")) : "");
}

function input(kind, about, text, attributes) {
  const shown = kind === "switch" ? t(`editor-${about.default}`) : about.default;
  const usual = about.default ? t("editor-default", { value: shown }) : t("editor-unset");
  if (kind === "switch" || kind === "choice") {
    const options = kind === "switch" ? ["on", "off"] : about.options.map(String);
    return make("select", attributes, make("option", { value: "" }, usual),
      options.map((one) => make("option", { value: one, selected: one === text }, kind === "switch" ? t(`editor-${one}`) : one)));
  }
  if (kind === "lines") return make("textarea", { ...attributes, rows: Math.max(1, text.split("\n").length), spellcheck: "false" }, text);
  return make("input", { ...attributes, type: "text", value: text, autocomplete: "off", spellcheck: "false", placeholder: about.default ? usual : false, inputmode: kind === "number" ? "decimal" : false });
}

function trialOf({ trial, shelf, picking }) {
  const choose = make("input", { type: "file", "data-sample": true, "aria-label": t("trial-choose") });
  return make("section", { class: "card", "data-key": "trial", "aria-labelledby": "trial-title" },
    make("h3", { id: "trial-title" }, t("trial")),
    make("p", { class: "soft" }, t("trial-about")),
    shelf.remote ? make("p", { class: "warn" }, t("trial-remote", { service: shelf.remote })) : "",
    make("label", { class: "drop", "data-try": true }, choose, t("trial-choose")),
    trial ? outcome(trial) : "",
    trial ? sampleView(trial, picking, control) : "",
    trial?.taken && trial.remote ? make("div", { class: "asking", "data-key": "paid" },
      make("p", { class: "warn" }, t("trial-costs", { service: trial.remote, calls: trial.calls, pages: trial.pages ?? "?" })),
      make("div", { class: "buttons" }, control("try-paid", t("trial-pay")))) : "");
}

// The result beside its source; marks say which conditions hold, and words which do not.
function outcome(trial) {
  const marks = new Map([[true, "✓"], [false, "✗"], [null, "?"]]);
  const pictures = [["before", trial.before], ["after", trial.after]].filter(([, drawn]) => drawn);
  return make("div", { "data-key": "outcome", role: "group", "aria-label": told(trial) },
    make("p", {}, make("strong", {}, told(trial))),
    trial.path ? make("p", {}, t("result-at", { path: trial.path })) : "",
    trial.problem ? make("p", { class: "bad" }, trial.problem) : "",
    make("details", { "data-key": "why", open: !trial.taken || document.querySelector("[data-key=why]")?.open }, make("summary", {}, t("trial-why")),
      make("ul", {}, trial.why.map(({ holds, said }) => make("li", { class: holds === false ? "bad" : "" }, `${marks.get(holds)} ${said}`)))),
    pictures.length ? make("div", { class: "pictures large" }, pictures.map(([text, drawn]) =>
      make("figure", { "data-key": text }, make("img", { alt: "", "data-drawn": drawn }), make("figcaption", {}, t(text))))) : "",
    trial.text?.length ? make("pre", { tabindex: "0", role: "region", "aria-label": t("trial-text") }, trial.text.join("\n")) : "");
}
