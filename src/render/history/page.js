"use strict";
// Draws the grid out of the data beside it. All text goes in as text nodes: nothing in it is ever markup.
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const [ABSENT, FAIL, PASS] = [0, 1, 2];
const SIGN = ["", "✕", "●"];
const WORD = ["not there", "fails", "passes"];
const SHOWN = 100;

function make(name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

// The outcome of every case at every column: that of the column which it is compared with, and what moved.
const columns = data.columns;
const states = new Array(columns.length);
function stateOf(wanted) {
  const stack = [wanted];
  while (stack.length) {
    const index = stack[stack.length - 1];
    const column = columns[index];
    if (column.base >= 0 && !states[column.base]) { stack.push(column.base); continue; }
    stack.pop();
    if (states[index]) continue;
    const state = column.base >= 0 ? states[column.base].slice() : new Uint8Array(data.cases.length);
    for (const [id, passed] of column.start) state[id] = passed ? PASS : FAIL;
    for (const [id] of column.broke) state[id] = FAIL;
    for (const [id] of column.fixed) state[id] = PASS;
    for (const [id, , passed] of column.added) state[id] = passed ? PASS : FAIL;
    for (const id of column.removed) state[id] = ABSENT;
    states[index] = state;
  }
  return states[wanted];
}
const changed = new Uint8Array(data.cases.length);
const newest = columns.reduce((found, column, index) => (column.state === "evaluated" ? index : found), -1);
columns.forEach((column, index) => {
  if (column.state !== "evaluated") return;
  stateOf(index);
  for (const [id] of column.broke.concat(column.fixed)) changed[id] = 1;
  if (column.base < 0) return;
  for (const [id] of column.added) changed[id] = 1;
  for (const id of column.removed) changed[id] = 1;
});

let shown = SHOWN;
let selected = null;
at("which").value = changed.includes(1) ? "changed" : "all";

function wanted() {
  const text = at("text").value.trim().toLowerCase();
  const which = at("which").value;
  const found = [];
  data.cases.forEach((name, id) => {
    if (text && !name.toLowerCase().includes(text)) return;
    if (which === "changed" && !changed[id]) return;
    if (which === "failing" && (newest < 0 || states[newest][id] !== FAIL)) return;
    found.push(id);
  });
  return found;
}

function visible() {
  const only = at("quiet").checked;
  return columns.map((_, index) => index).filter((index) => {
    const column = columns[index];
    return !only || column.state !== "evaluated" || column.marks.length || index === newest
      || column.broke.length + column.fixed.length + column.added.length + column.removed.length > 0;
  });
}

function room() {
  const narrow = window.matchMedia("(max-width: 40rem)").matches;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.max(4, Math.floor((at("scroll").clientWidth - (narrow ? 8.5 : 15) * rem) / (1.65 * rem + 1)));
}

function turn(column, id) {
  for (const [kind, list] of [["broke", column.broke], ["fixed", column.fixed], ["added", column.added]]) {
    const entry = list.find((entry) => entry[0] === id);
    if (entry) return [kind, entry[1]];
  }
  return column.removed.includes(id) ? ["removed", ""] : null;
}

function tell(index, id) {
  const column = columns[index];
  const panel = at("details");
  panel.textContent = "";
  const head = make("p");
  head.append(make("code", column.id), ` ${column.date.slice(0, 10)} · ${column.author}`);
  panel.append(head, make("p", column.subject));
  if (column.state === "evaluated") panel.append(make("p", `${column.passed} of ${column.total} passed (${column.rate})`));
  if (column.state === "invalid") panel.append(make("p", `The suite is at fault: ${column.error}`, "fail"));
  if (column.state === "absent") panel.append(make("p", "The commit holds no suite."));
  for (const mark of column.marks) panel.append(make("p", mark, "mark"));
  if (column.folded) panel.append(make("p", `The same in ${column.folded} later commit${column.folded === 1 ? "" : "s"}.`, "quiet"));
  if (id === undefined) {
    for (const [kind, list] of [["broke", column.broke.map((entry) => entry[0])], ["fixed", column.fixed.map((entry) => entry[0])],
      ["added", column.added.map((entry) => entry[0])], ["removed", column.removed]]) {
      if (!list.length) continue;
      const more = list.length > 20 ? `, and ${list.length - 20} more` : "";
      panel.append(make("p", `${kind}: ${list.slice(0, 20).map((id) => data.cases[id]).join(", ")}${more}`));
    }
  } else {
    const line = make("p");
    const state = states[index][id];
    line.append(make("strong", data.cases[id]), " ", make("span", WORD[state], state === PASS ? "pass" : "fail"));
    const turned = turn(column, id);
    if (turned) line.append(` · ${turned[0]} here${turned[1] ? ` (${turned[1]})` : ""}`);
    panel.append(line);
  }
}

function choose(index, id, button) {
  for (const old of document.querySelectorAll('.grid [aria-pressed="true"]')) old.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-pressed", "true");
  selected = { index, id };
  tell(index, id);
}

function pressable(text, label, index, id) {
  const button = make("button", text);
  button.type = "button";
  button.setAttribute("aria-label", label);
  const is = selected && selected.index === index && selected.id === id;
  button.setAttribute("aria-pressed", is ? "true" : "false");
  button.addEventListener("click", () => choose(index, id, button));
  return button;
}

function draw() {
  const seen = visible();
  const width = Math.min(room(), seen.length);
  const slider = at("place");
  slider.min = String(width);
  slider.max = String(seen.length);
  if (slider.dataset.moved !== "yes") slider.value = String(seen.length);
  const end = Math.min(Math.max(Number(slider.value), width), seen.length);
  const part = seen.slice(end - width, end);
  at("older").disabled = end <= width;
  at("newer").disabled = end >= seen.length;
  slider.disabled = width >= seen.length;

  const head = make("tr");
  head.append(make("th", "case"));
  for (const index of part) {
    const column = columns[index];
    const cell = make("th");
    cell.scope = "col";
    const sign = column.marks.length ? "★ " : column.state === "invalid" ? "✕ " : "";
    const button = pressable(sign + column.id.slice(0, 8), `commit ${column.id.slice(0, 12)}, ${column.subject}`, index);
    if (column.marks.length) button.classList.add("mark");
    if (column.state === "invalid") button.classList.add("fail");
    cell.append(button);
    head.append(cell);
  }
  const rows = wanted();
  const body = document.createDocumentFragment();
  for (const id of rows.slice(0, shown)) {
    const row = make("tr");
    const name = make("th", data.cases[id]);
    name.scope = "row";
    name.title = data.cases[id];
    row.append(name);
    for (const index of part) {
      const column = columns[index];
      const cell = make("td");
      if (column.state !== "evaluated") cell.className = "x";
      else {
        const state = states[index][id];
        cell.className = ["", "f", "p"][state];
        const turned = turn(column, id);
        if (turned && (column.base >= 0 || turned[0] !== "added")) {
          const label = `${data.cases[id]} ${WORD[state]} at ${column.id.slice(0, 12)}: ${turned[0]}`;
          cell.append(pressable(SIGN[state] || "–", label, index, id));
        } else cell.textContent = SIGN[state];
      }
      row.append(cell);
    }
    body.append(row);
  }
  at("head").replaceChildren(head);
  at("body").replaceChildren(body);
  const hidden = Math.max(0, rows.length - shown);
  at("count").textContent = rows.length
    ? `${rows.length} of ${data.cases.length} cases · columns ${part.length} of ${seen.length}`
    : "No case matches.";
  at("more").hidden = hidden === 0;
  at("more").textContent = `Show ${Math.min(hidden, SHOWN)} more`;
}

function move(by) {
  const slider = at("place");
  slider.dataset.moved = "yes";
  slider.value = String(Number(slider.value) + by);
  draw();
}
at("filter").addEventListener("submit", (event) => event.preventDefault());
for (const id of ["text", "which", "quiet"]) at(id).addEventListener("input", () => { shown = SHOWN; draw(); });
at("place").addEventListener("input", () => { at("place").dataset.moved = "yes"; draw(); });
at("older").addEventListener("click", () => move(-Math.max(1, room() - 1)));
at("newer").addEventListener("click", () => move(Math.max(1, room() - 1)));
at("more").addEventListener("click", () => { shown += SHOWN; draw(); });
let waiting = 0;
window.addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(draw); });
at("cases").hidden = false;
draw();
