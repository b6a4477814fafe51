"use strict";
// Builds a form from ../openapi.json, sends it, and shows the answer. Text is only ever set as text.

const find = (id) => document.getElementById(id);
const base = location.pathname.replace(/\/try\/[^/]*$/, "");
const calls = new Map();
const POLL_MILLISECONDS = 1000;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function control(name, schema) {
  const several = schema.type === "array";
  const one = several ? schema.items : schema;
  if (one.format === "binary") return make("input", { type: "file", multiple: several });
  if (one.enum) {
    const options = one.enum.map((value) => make("option", { value: String(value), textContent: String(value) }));
    return make("select", {}, make("option", { value: "", textContent: "(not sent)" }), ...options);
  }
  if (several || one.contentMediaType || name === "html" || name === "template") return make("textarea");
  return make("input", { type: one.format === "password" ? "password" : "text" });
}

function field(name, schema, required) {
  const input = control(name, schema);
  input.id = `field-${name}`;
  input.dataset.name = name;
  input.dataset.several = schema.type === "array" && input.type !== "file" ? "lines" : "";
  input.required = required;
  const label = make("label", { htmlFor: input.id, textContent: required ? `${name} *` : name });
  const hints = [schema.description, (schema.default ?? "") === "" ? "" : `Default: ${schema.default}`];
  if (input.dataset.several) hints.push("One a line.");
  return make("p", {}, label, input, make("small", { textContent: hints.filter(Boolean).join(" ") }));
}

function choose() {
  const call = calls.get(find("operation").value);
  const form = call.requestBody.content["multipart/form-data"].schema;
  const takes = call["x-input"].length ? `Takes ${call["x-input"].join(", ")}.` : "";
  find("about").textContent = `${call.summary}. ${takes}`;
  const names = Object.keys(form.properties);
  find("fields").replaceChildren(...names.map((name) => field(name, form.properties[name], form.required.includes(name))));
}

function filled() {
  const form = new FormData();
  for (const input of find("fields").querySelectorAll("[data-name]")) {
    const name = input.dataset.name;
    if (input.type === "file") {
      for (const file of input.files) form.append(name, file);
    } else if (input.dataset.several) {
      for (const line of input.value.split("\n")) if (line) form.append(name, line);
    } else if (input.value) {
      form.append(name, input.value);
    }
  }
  return form;
}

async function ask(path, options = {}) {
  const response = await fetch(base + path, { ...options, headers: { "x-api-key": find("key").value } });
  const body = await response.json();
  find("answer").textContent = JSON.stringify(body, null, 2);
  find("state").textContent = `HTTP ${response.status}, code ${body.code}: ${body.msg}`;
  return body.code === "200" ? body.data : null;
}

function show(records) {
  const links = records.filter((record) => record.downloadUrl).map((record) => {
    const link = make("a", { href: record.downloadUrl, textContent: record.downFileName });
    return make("li", {}, link, ` (${record.convertSize} bytes, ${record.convertTime} ms)`);
  });
  const failed = records.filter((record) => record.status === "failed").map((record) =>
    make("li", { textContent: `${record.fileName || "It"} failed: ${record.failureCode} ${record.failureReason}` }));
  find("results").replaceChildren(...links, ...failed);
}

async function send(event) {
  event.preventDefault();
  const button = find("call").querySelector("button");
  button.disabled = true;
  find("results").replaceChildren();
  find("state").textContent = "Sent. Waiting for the answer.";
  try {
    const asynchronous = find("mode").value === "processAsync";
    const path = find("operation").value.replace("/v2/process/", `/v2/${find("mode").value}/`);
    let data = await ask(path, { method: "POST", body: filled() });
    if (data && asynchronous) {
      const query = `/v2/task/taskInfo?taskId=${encodeURIComponent(data.taskId)}`;
      do {
        await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
        data = await ask(query);
      } while (data && !["TaskFinish", "TaskOverdue"].includes(data.taskStatus));
    }
    if (data) show(data.fileInfoDTOList || (Array.isArray(data) ? data : [data]));
  } catch (error) {
    find("state").textContent = `No answer: ${error.message}`;
  } finally {
    button.disabled = false;
  }
}

async function begin() {
  const description = await (await fetch("../openapi.json")).json();
  for (const [path, item] of Object.entries(description.paths)) {
    if (item.post && item.post.tags[0] === "process") calls.set(path, item.post);
  }
  const sorted = [...calls.keys()].sort((a, b) => calls.get(b)["x-done"] - calls.get(a)["x-done"]);
  const options = sorted.map((path) => make("option", {
    value: path, textContent: calls.get(path).summary, disabled: !calls.get(path)["x-done"],
  }));
  find("operation").replaceChildren(...options);
  find("operation").addEventListener("change", choose);
  find("call").addEventListener("submit", send);
  choose();
}

begin().catch((error) => { find("state").textContent = `The description cannot be read: ${error.message}`; });
