// A tried sample: its pages with a box for each field that was found, and a word of them as a field of one's own.
import { make, t } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";
const ROWS_ABOVE = 5;  // rows over a word in which its label may stand: that of a value below it, with others between
const NAMED_BESIDE = 0.7;  // of a page's width: what ends left of that has room for its name behind it

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.flat());
  return element;
}

// What was picked, what would find it, and what that gives on which sample.
export class Picking {
  constructor() {
    Object.assign(this, { further: [], line: "", word: "0/0", at: null, tries: 0, proposed: null, samples: [], entry: 0, name: "", use: "name" });
  }

  forget() {
    Object.assign(this, { line: "", word: "0/0", at: null, proposed: null, samples: [] });
  }

  typed({ dataset: { pick }, value }) {
    this[pick] = pick === "entry" ? Number(value) : value;
    if (pick === "line") this.word = "0/0";
  }

  // The word that was chosen from the lists.
  chosen(sheets) {
    const line = this.line || lines(sheets)[0]?.value || "";
    const [page, row] = line.split("/").map(Number);
    const [piece, word] = this.word.split("/").map(Number);
    return line ? { page, row, piece, word } : null;
  }

  // What asks for entries that would find the word.
  question(sheets) {
    const { page, row, piece, word } = this.at;
    const rows = sheets.find((one) => one.page === page).rows;
    return { page, rows: rows.slice(Math.max(0, row - ROWS_ABOVE), row + 1), piece, word };
  }

  // The entry that finds the word on its own sample for sure, else that of its place.
  propose(proposed) {
    const fits = proposed.entries.findIndex((_, number) => {
      const first = this.samples[0].found[number];
      return first.sure && first.value.includes(proposed.text.replace(/^[\s:：]+|[\s:：.,;]+$/g, ""));
    });
    const entry = fits < 0 ? proposed.entries.length - 1 : fits;
    Object.assign(this, { proposed, entry, name: proposed.name, tries: this.tries + 1 });
  }
}

// The word on a page that a pointer is on; nothing beside words.
export function pointed(sheets, sheet, { clientX, clientY }) {
  const { left, top, width, height } = sheet.getBoundingClientRect();
  const page = sheets.find((one) => String(one.page) === sheet.dataset.sheet);
  const [across, down] = [((clientX - left) / width) * page.width, ((clientY - top) / height) * page.height];
  for (const [row, pieces] of page.rows.entries()) {
    for (const [piece, words] of pieces.entries()) {
      const word = words.findIndex((one) => one[1] <= across && across <= one[3] && one[2] <= down && down <= one[4]);
      if (word >= 0) return { page: page.page, row, piece, word };
    }
  }
  return null;
}

export function sampleView(trial, picking, control) {
  const drawn = trial.sheets.filter(({ picture }) => picture);
  return make("div", { "data-key": "sample" },
    trial.fields.length || trial.sheets.length ? [
      make("h4", {}, t("sample-fields")),
      trial.fields.length ? make("ul", { class: "found", role: "list" }, trial.fields.map(field)) : make("p", { class: "soft" }, t("sample-none")),
      drawn.length ? make("p", { class: "soft" }, t("sample-marks")) : "",
      make("div", { class: "sheets" }, drawn.map((sheet) => page(sheet, trial.fields, picking))),
    ] : "",
    trial.sheets.some(({ rows }) => rows.length) ? pickingView(trial, picking, control) : "");
}

function field({ title, value, sure, reason, candidates }) {
  return make("li", { class: sure ? "" : "warn" }, `${sure ? "✓" : "?"} ${title}: ${sure ? value : unsure(reason, candidates)}`);
}

function unsure(reason, candidates) {
  return [t("sample-unsure", { reason: reason.replace(/\.$/, "") }), candidates.length ? t("sample-candidates", { values: candidates.join(" | ") }) : ""].join(" ").trim();
}

// Boxes lie over the picture in the page's own measure. They say nothing that the list above does not.
function page(sheet, fields, { at }) {
  const boxes = fields.flatMap(({ title, sure, places }) => places.filter((place) => place.page === sheet.page).map(({ box }) => boxOf(sheet, box, sure ? "sure" : "unsure", `${sure ? "✓" : "?"} ${title}`)));
  const word = at?.page === sheet.page ? sheet.rows[at.row]?.[at.piece]?.[at.word] : null;
  if (word) boxes.push(boxOf(sheet, word.slice(1), "picked", ""));
  const pickable = sheet.rows.length ? { "data-workshop": "point", "data-sheet": sheet.page } : {};
  return make("figure", { class: "sheet", "data-key": sheet.page },
    make("img", { alt: t("page", { page: sheet.page }), "data-drawn": sheet.picture }),
    draw("svg", { viewBox: `0 0 ${sheet.width} ${sheet.height}`, preserveAspectRatio: "none", "aria-hidden": "true", ...pickable }, boxes));
}

// What it is called stands right of a box, where most pages are empty, or left of one at the right margin.
function boxOf({ width }, [left, top, right, bottom], kind, text) {
  const box = draw("rect", { x: left - 4, y: top - 4, width: right - left + 8, height: bottom - top + 8 });
  return draw("g", { class: kind }, text ? [box, draw("text", right < NAMED_BESIDE * width ? { x: right + 12, y: bottom - 2 } : { x: left - 12, y: bottom - 2, "text-anchor": "end" }, text)] : [box]);
}

function lines(sheets) {
  return sheets.flatMap(({ page: number, rows }) => rows.map((row, place) => ({ value: `${number}/${place}`, row, text: `${t("page", { page: number })}: ${row.flat().map(([text]) => text).join(" ")}` })));
}

function pickingView({ sheets }, picking, control) {
  const all = lines(sheets);
  const line = all.find(({ value }) => value === picking.line) ?? all[0];
  const words = line.row.flatMap((piece, number) => piece.map(([text], place) => ({ value: `${number}/${place}`, text })));
  const choose = (name, options, chosen, key = name) => make("div", { class: "field", "data-key": key },
    make("label", { for: `pick-${name}` }, t(`pick-${name}`)),
    make("select", { id: `pick-${name}`, "data-pick": name }, options.map(({ value, text }) => make("option", { value, selected: value === chosen }, text))));
  return make("section", { "data-key": "picking", "aria-labelledby": "picking-title" },
    make("h4", { id: "picking-title" }, t("pick")), make("p", { class: "soft" }, t("pick-about")),
    choose("line", all, line.value), choose("word", words, picking.word, `word-${line.value}`),
    make("div", { class: "buttons", "data-key": "pick" }, control("pick", t("pick-try"))),
    make("label", { class: "drop", "data-further": true, "data-key": "further" }, make("input", { type: "file", multiple: true, "data-further": true, "aria-label": t("pick-further") }), t("pick-further")),
    picking.further.length ? make("p", { class: "soft" }, t("pick-held", { names: picking.further.map(({ name }) => name).join(", ") })) : "",
    picking.proposed ? proposedView(picking, choose, control) : "");
}

function proposedView({ proposed, samples, entry, name, use, tries }, choose, control) {
  const options = [["name", "pick-use-name"], ["file", "pick-use-file"], ["", "pick-use-later"]].map(([value, text]) => ({ value, text: t(text) }));
  return make("div", { class: "asking", "data-key": `proposed-${tries}` },
    make("fieldset", {}, make("legend", {}, t("pick-how", { text: proposed.text })),
      proposed.entries.map(({ how, find }, number) => make("div", { class: "entry", "data-key": number },
        make("label", {}, make("input", { type: "radio", name: "entry", "data-pick": "entry", value: number, checked: number === entry }), t(`pick-by-${how}`, find)),
        make("ul", {}, samples.map((sample) => made(sample, number)))))),
    make("div", { class: "field", "data-key": "name" }, make("label", { for: "pick-name" }, t("pick-name")),
      make("input", { id: "pick-name", "data-pick": "name", type: "text", value: name, autocomplete: "off", spellcheck: "false" })),
    choose("use", options, use),
    make("div", { class: "buttons", "data-key": "add" }, control("add-field", t("pick-add"), { class: "first" })));
}

// What an entry gives on a sample.
function made({ name, found, problem }, number) {
  if (!found) return make("li", { class: "bad" }, `${name}: ${problem}`);
  const { sure, value, reason, candidates } = found[number];
  const is = sure ? value : candidates.length ? unsure(reason, candidates) : t("pick-nothing");
  return make("li", { class: sure ? "" : "warn" }, `${sure ? "✓" : candidates.length ? "?" : "✗"} ${name}: ${is}`);
}
