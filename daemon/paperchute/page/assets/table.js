// The editor of what the rule file says beside its rules, a table at a time. As in the rules' editor only what was changed is sent.
import { changed, ending, fieldOf, whole } from "./editor.js";
import { make, t } from "./elements.js";
import { call } from "./session.js";

let opened = 0;

export function openTable(shelf, name) {
  return new TableEditor(shelf, name);
}

class TableEditor {
  constructor(shelf, name) {
    const { about, keys, values } = tableOf(shelf, name);
    Object.assign(this, { id: `table-${++opened}`, name, about, keys, problems: [], warnings: [], changes: null });
    Object.assign(this, { digest: shelf.digest, old: whole(values), values: structuredClone(whole(values)) });
  }

  async act(verb) {
    if (verb === "cancel") return { said: "", ended: true };
    Object.assign(this, await this.send(`${verb}-table`));
    if (this.problems.length) return { said: t(verb === "save" ? "editor-wrong" : "editor-faults") };
    if (verb === "look") return { said: t("editor-good") };
    return { said: [t("table-saved", { name: `[${this.name}]` }), ...this.warnings].join(" "), ended: true };
  }

  // Where somebody else has written the file meanwhile, the draft goes on with what stands there now.
  async send(verb) {
    const body = JSON.stringify({ digest: this.digest, table: { table: this.name, keys: changed(this.old, this.values) } });
    try {
      const answer = await (await call(`/api/workshop/${verb}`, { method: "POST", body })).json();
      this.changes = null;
      return answer;
    } catch (error) {
      if (!error.body?.changes) throw error;
      this.changes = error.body.changes;
      this.goOn(await (await call("/api/workshop")).json());
      throw new Error(t("editor-meanwhile"));
    }
  }

  goOn(shelf) {
    if (shelf.mistakes) return;
    const draft = changed(this.old, this.values);
    this.digest = shelf.digest;
    this.old = whole(tableOf(shelf, this.name).values);
    const mine = Object.entries(draft).map(([name, filled]) => [name, filled ?? { ...this.old[name], hidden: false, text: "" }]);
    this.values = { ...structuredClone(this.old), ...Object.fromEntries(mine) };
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
  return shelf.tables.find((table) => table.name === name);
}
