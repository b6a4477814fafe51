// Elements of the page: made anew for each picture, and brought into what is there without touching what is the same,
// so that focus, selection and scrolling stay. What people chose is found by data- attributes (page.js).

let texts = {};
let remote = false;
let changesRules = true;
const HERE = /\/(open|show|open-result|show-result|edit-rules)$/;  // calls that open something on the machine itself

// The page is looked at from another machine, from which rules can be changed or only looked at.
export function setRemote(rules) {
  remote = true;
  changesRules = rules;
}

export function mayChangeRules() {
  return changesRules;
}

export function isRemote() {
  return remote;
}

export function setTexts(found) {
  texts = found;
}

// A sentence of the catalogue, with values in its {places}.
export function t(name, values = {}) {
  return (texts[name] ?? name).replace(/\{(\w+)\}/g, (place, key) => String(values[key] ?? place));
}

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== ""));
  return element;
}

// Empty for what only somebody at the machine itself can do.
export function button(text, path, attributes = {}) {
  if (remote && HERE.test(path)) return "";
  return make("button", { type: "button", "data-post": path, ...attributes }, text);
}

// Has the browser keep results of a job: all of them, or one.
export function download(text, job, attributes = {}) {
  return make("button", { type: "button", "data-fetch": `/api/jobs/${job}/results/fetch`, ...attributes }, text);
}

export function section(name, ...children) {
  return make("section", { "data-key": name, "aria-labelledby": `${name}-title` }, make("h2", { id: `${name}-title` }, t(name)), ...children);
}

// Make the children of an element those that are given.
export function bring(parent, children) {
  const kept = new Set(children.map((one) => one.dataset?.key));
  for (const one of [...parent.children]) {
    if (one.dataset.key && !kept.has(one.dataset.key)) one.remove();  // else what is behind it moves, and loses the focus
  }
  const old = new Map([...parent.children].filter((one) => one.dataset.key).map((one) => [one.dataset.key, one]));
  children.forEach((child, place) => {
    const there = parent.childNodes[place];
    const same = child.dataset?.key ? old.get(child.dataset.key) : there;
    if (!same || same.nodeName !== child.nodeName || (same.dataset?.key ?? "") !== (child.dataset?.key ?? "")) {
      parent.insertBefore(child, there ?? null);
      return;
    }
    if (same !== there) parent.insertBefore(same, there);
    if (same.nodeType === Node.TEXT_NODE) {
      if (same.data !== child.data) same.data = child.data;
      return;
    }
    for (const { name, value } of child.attributes) {
      if (same.getAttribute(name) !== value) same.setAttribute(name, value);
    }
    for (const name of same.getAttributeNames()) {
      if (!child.hasAttribute(name) && same.nodeName !== "IMG") same.removeAttribute(name);  // pictures come later
    }
    if (same.nodeName !== "INPUT") bring(same, [...child.childNodes]);
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
}
