// The editor of what the rule file says beside its rules, a table at a time. As in the rules' editor only what was changed is sent.
import { ask, changed, ending, fieldOf, whole } from "./editor.js";
import { make, t } from "./elements.js";

export const FURTHER = "services";  // the table whose tables are further services; its own fields are those of one more

let opened = 0;

export function openTable(shelf, name) {
  return new TableEditor(shelf, name);
}

class TableEditor {
  constructor(shelf, name) {
    const { about, keys, values } = tableOf(shelf, name);
    Object.assign(this, { id: `table-${++opened}`, name, about, keys, problems: [], warnings: [], changes: null });
    Object.assign(this, { shelf, old: whole(values), values: structuredClone(whole(values)) });
  }

  async act(verb) {
    if (verb === "cancel") return { said: "", ended: true };
    const table = { table: this.name, keys: changed(this.old, this.values) };
    return ask(this, verb, `${verb}-table`, { table }, () => t("table-saved", { name: `[${this.name}]` }));
  }

  goOn(shelf) {
    if (shelf.mistakes) return "";
    const draft = changed(this.old, this.values);
    this.shelf = shelf;
    this.old = whole(tableOf(shelf, this.name).values);
    const mine = Object.entries(draft).map(([name, filled]) => [name, filled ?? { ...this.old[name], hidden: false, text: "" }]);
    this.values = { ...structuredClone(this.old), ...Object.fromEntries(mine) };
    return "";
  }

  typed({ dataset: { field }, value }) {
    const about = this.keys.find((one) => one.name === field);
    this.values[field] = { kind: this.values[field]?.kind ?? about.kind, text: value };
  }

  unsaved() {
    const lines = Object.entries(changed(this.old, this.values)).filter(([, filled]) => filled).map(([name, { text }]) => `${name}: ${text}`);
    return lines.length ? [`[${this.name}]`, ...lines] : [];
  }

  view() {
    return [make("section", { "data-key": this.id, "aria-labelledby": "editor-title" },
      make("h2", { id: "editor-title", tabindex: "-1" }, t("table-of", { name: `[${this.name}]` })), make("p", { class: "soft" }, this.about),
      this.keys.map((one) => fieldOf(this, one, this.values[one.name], "")), ending(this))];
  }
}

function tableOf(shelf, name) {
  return shelf.tables.find((table) => table.name === name) ?? shelf.tables.find((table) => table.name === FURTHER);
}
