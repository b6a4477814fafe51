// The view of who has no rules yet: jobs of an office to choose from. One click makes the folders and their rules.
import { make, mayChangeRules, t } from "./elements.js";

export function firstView(offers) {
  if (!mayChangeRules()) return [make("p", { "data-key": "first" }, t("rules-none"), " ", t("rules-read-only"))];
  const boxes = offers.map((one) => {
    const box = make("input", { type: "checkbox", name: one.name, id: `first-${one.name}`, "aria-describedby": `about-${one.name}` });
    return make("li", { class: "card", "data-key": one.name },
      box, " ", make("label", { for: `first-${one.name}` }, one.title), make("p", { class: "soft", id: `about-${one.name}` }, one.about));
  });
  return [make("section", { "data-key": "first", "aria-labelledby": "first-title" },
    make("h2", { id: "first-title" }, t("first")), make("p", {}, t("first-choose")),
    make("ul", { class: "rows", role: "list" }, boxes),
    make("div", { class: "buttons" }, make("button", { type: "button", class: "first", "data-first": true }, t("first-make"))))];
}

// The names of those that are chosen.
export function chosenJobs() {
  return [...document.querySelectorAll("[data-key=first] input:checked")].map((box) => box.name);
}
