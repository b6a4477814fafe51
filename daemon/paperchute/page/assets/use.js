// The view "Use": how many calls and pages the rules have used by month, against the quota, and the last seven days.
import { make, section, t } from "./elements.js";
import { call } from "./session.js";

let found = null;
let done = null;

// Ask anew when another job has ended.
export async function refreshUse(picture) {
  const mark = `${picture.done} ${picture.attention} ${picture.services.map((one) => one.calls)}`;
  if (found && mark === done) return;
  done = mark;
  found = await (await call("/api/use")).json();
}

export function useView() {
  if (!found) return [];
  const months = found.months.map(month);
  return [quotas(found.quotas), week(found.days), ...(months.length ? months : [make("p", { class: "soft", "data-key": "none" }, t("nothing-used"))]),
    make("p", { class: "soft", "data-key": "about-pages" }, t("no-pages"))].filter(Boolean);
}

const language = () => t("language").replace("_", "-");
const number = (n) => n.toLocaleString(language());
const sum = (rows, name) => rows.reduce((total, row) => total + row[name], 0);

function quotas(all) {
  return all.length ? section("quota", ...all.flatMap(quota)) : "";
}

function quota({ name, used, most }) {
  const whose = name ? `${name}: ` : "";
  if (!most) return [make("p", {}, whose, t("calls", { used: number(used) }))];
  return [make("p", {}, whose, t("calls-of", { used: number(used), most: number(most) }), " ", t("quota-left", { n: number(Math.max(most - used, 0)) })), bar(used, most)];
}

// The numbers stand beside it: a bar is for the eye alone.
function bar(value, most) {
  return make("meter", { "aria-hidden": "true", min: 0, max: most || 1, value });
}

function week(days) {
  const most = Math.max(...days.map((one) => one.done + one.warned + one.failed));
  const rows = days.map((one) => {
    const when = new Date(`${one.day}T12:00`).toLocaleDateString(language(), { weekday: "short", day: "numeric", month: "numeric" });
    return row(one.day, when, [one.done, one.warned, one.failed], one.done + one.warned + one.failed, most);
  });
  return section("week", table("week-title", ["day", "jobs-done", "jobs-warned", "jobs-failed"], rows,
    row("all", t("all-days"), ["done", "warned", "failed"].map((name) => sum(days, name)))));
}

function month({ month: name, rules }) {
  const told = new Date(`${name}-15T12:00`).toLocaleDateString(language(), { month: "long", year: "numeric" });
  const most = Math.max(...rules.map((one) => one.pages || one.calls || one.jobs));
  const rows = rules.map((one) => row(one.rule, one.rule, [one.jobs, one.calls, one.pages], one.pages || one.calls || one.jobs, most));
  const all = row("all", t("all-rules"), ["jobs", "calls", "pages"].map((key) => sum(rules, key)));
  const id = `month-${name}`;
  return make("section", { "data-key": id, "aria-labelledby": id }, make("h2", { id }, t("month", { month: told })),
    table(id, ["by-rule", "jobs-used", "calls-used", "pages-used"], rows, all));
}

function table(title, heads, rows, all) {
  const [first, ...others] = heads.map((name) => make("th", { scope: "col" }, t(name)));
  return make("div", { class: "card table", role: "group", tabindex: "0", "aria-labelledby": title }, make("table", { "aria-labelledby": title },
    make("thead", {}, make("tr", {}, first, others, make("td", { class: "bar" }))),
    make("tbody", {}, rows), make("tfoot", {}, all)));
}

function row(key, name, values, value = 0, most = 0) {
  return make("tr", { "data-key": key }, make("th", { scope: "row" }, name), values.map((one) => make("td", {}, number(one))),
    make("td", { class: "bar" }, most ? bar(value, most) : ""));
}
