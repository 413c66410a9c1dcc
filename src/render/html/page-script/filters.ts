import { findElement } from "./page-elements.js";

/** Filters by kind of item, by tool, and by failure. */
export function startFilters(): void {
  const menu = findElement("filter", HTMLDetailsElement);
  const form = menu.querySelector("form");
  if (!form) return;
  listTools(findElement("tools", HTMLFieldSetElement));
  const apply = () => menu.classList.toggle("filtering", applyFilter(form));
  form.addEventListener("change", apply);
  form.addEventListener("reset", () => setTimeout(apply)); // the fields change after the event
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false;
  });
  menu.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") menu.open = false;
  });
}

function listTools(list: HTMLFieldSetElement): void {
  const counts = new Map<string, number>();
  for (const { dataset } of document.querySelectorAll<HTMLElement>(".call[data-tool]")) {
    const name = dataset["tool"] ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([, a], [, b]) => b - a);
  list.append(...byCount.map(([name, count]) => toolChoice(name, count)));
  list.hidden = byCount.length === 0;
}

function toolChoice(name: string, count: number): HTMLElement {
  const label = document.createElement("label");
  const box = document.createElement("input");
  Object.assign(box, { type: "checkbox", name: "tool", value: name, defaultChecked: true });
  const number = document.createElement("span");
  number.className = "count";
  number.textContent = String(count);
  label.append(box, ` ${name} `, number);
  return label;
}

function applyFilter(form: HTMLFormElement): boolean {
  const boxes = [...form.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  const hidden = (name: string) => boxes.filter((box) => box.name === name && !box.checked).map(({ value }) => value);
  const [kinds, tools] = [hidden("kind"), new Set(hidden("tool"))];
  const isOnlyErrors = boxes.some(({ name, checked }) => name === "errors" && checked);
  const { classList } = document.documentElement;
  for (const { value } of boxes.filter(({ name }) => name === "kind")) {
    classList.toggle(`hide-${value}`, kinds.includes(value));
  }
  classList.toggle("only-errors", isOnlyErrors);
  const isHidden = ({ dataset, classList }: HTMLElement) =>
    tools.has(dataset["tool"] ?? "") || (isOnlyErrors && !classList.contains("failed"));
  hideCalls(isHidden);
  hideEmpty(isOnlyErrors);
  return kinds.length + tools.size > 0 || isOnlyErrors;
}

/** A call stays visible while a call inside it is visible. */
function hideCalls(isHidden: (call: HTMLElement) => boolean): void {
  const calls = [...document.querySelectorAll<HTMLElement>("main .call")].reverse(); // inner ones first
  for (const call of calls) {
    const holdsShown = call.querySelector(".call:not(.filtered-out)") !== null;
    call.classList.toggle("filtered-out", isHidden(call) && !holdsShown);
  }
  for (const run of document.querySelectorAll("main .run")) {
    run.classList.toggle("filtered-out", !run.querySelector(".call:not(.filtered-out)"));
  }
}

function hideEmpty(isOnlyErrors: boolean): void {
  for (const turn of document.querySelectorAll("main .turn, main .agent, main > .aside")) {
    const isEmpty = !turn.querySelector(".failed:not(.filtered-out)");
    turn.classList.toggle("filtered-out", isOnlyErrors && isEmpty);
  }
}
