// The view "Now": what runs, what waits and why, the hot folders, and the last results.
import { button, download, make, section, t } from "./elements.js";

const MINUTE = 60;

export function nowView(picture) {
  return [
    section("running", picture.running.length ? list("rows", picture.running.map(running)) : soft(t("nothing-runs"))),
    picture.waiting.length ? section("waits", list("rows", picture.waiting.map(waiting))) : "",
    section("folders", list("cards", picture.folders.map(folder))),
    section("results", picture.results.length ? list("rows", picture.results.map(result)) : soft(t("no-results"))),
    section("health", ...picture.services.map(health)),
  ].filter(Boolean);
}

function list(kind, items) {
  return make("ul", { class: kind, role: "list" }, items);
}

function soft(...texts) {
  return make("p", { class: "soft" }, texts.filter(Boolean).join(" · "));
}

function running(job) {
  const steps = job.steps > 1 ? t("step-of", { step: job.step, steps: job.steps }) : "";
  const page = job.pages > 1 ? t("page-of", { page: Math.min(job.done + 1, job.pages), pages: job.pages }) : "";
  const name = `running-${job.job}`;
  const bar = make("progress", { "aria-labelledby": name, max: job.pages || 1, value: job.pages ? job.done : false });
  return make("li", { class: "card", "data-key": job.job }, make("h3", { id: name }, job.name), soft(job.operation, job.service, steps, page, left(job)), bar);
}

// How long the rest of the pages takes if they take as long as those before.
function left(job) {
  if (!job.done || job.done >= job.pages) return t("since", { n: job.seconds });
  const seconds = Math.ceil((job.seconds / job.done) * (job.pages - job.done));
  return seconds < MINUTE ? t("left-seconds", { n: seconds }) : t("left-minutes", { n: Math.ceil(seconds / MINUTE) });
}

function waiting(one) {
  return make("li", { class: "card" }, one.name ? make("h3", {}, one.name) : "", soft(one.why));
}

function folder(one) {
  const counts = [one.left && t("folder-left", { n: one.left }), one.done && t("folder-done", { n: one.done })];
  const choose = make("input", { type: "file", multiple: true, "data-folder": one.id, "aria-label": t("drop-into", { folder: one.name }) });
  const whole = make("input", { type: "file", multiple: true, webkitdirectory: true, "aria-label": t("folder-into", { folder: one.name }) });
  return make("li", { class: "card", "data-key": one.id },
    make("h3", {}, one.name), soft(one.rules.join(", ")), soft(...counts),
    make("div", { class: "drop", "data-drop": one.id, "data-name": one.name }, make("label", {}, choose, t("drop")), " ", one.sets ? make("label", { class: "whole" }, whole, t("choose-folder")) : ""),
    make("div", { class: "buttons" }, button(t("open"), `/api/folders/${one.id}/open`, { "aria-label": `${t("open")}: ${one.name}` })));
}

function result(one) {
  return make("li", { class: "card", "data-key": one.job },
    make("h3", {}, one.name), soft(one.folder),
    make("div", { class: "buttons" }, button(t("open"), `/api/jobs/${one.job}/open-result`, { "aria-label": `${t("open")}: ${one.name}` }),
      download(t("download"), one.job, { "aria-label": `${t("download")}: ${one.name}` })));
}

function health(service) {
  const calls = service.most ? t("calls-of", { used: service.calls, most: service.most }) : service.calls ? t("calls", { used: service.calls }) : "";
  const who = [service.name, service.address].filter(Boolean).join(" · ");
  const state = service.answers ? soft(`${who}: ${service.message}`, calls) : make("p", { class: "bad" }, service.message);
  return make("div", { class: "card", "data-key": who }, state, service.answers ? "" : soft(who, calls));
}
