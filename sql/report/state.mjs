// state.mjs - what is chosen in the page, as its address holds it: #pool=v4&no=phase&since=2026-01-06+00:00:00&category=idle.
//
// A state is an object whose keys stand in the order in which they were chosen: filters, category and cause (which are measured in
// place of all losses, and filter nothing), and what the page shows by: by, rows, columns, top. null is the value "(none)".

import { FILTERS } from "./cells.mjs";

export const CHOICES = [...FILTERS, "since", "until", "category", "cause"];
const SHOWN = ["by", "rows", "columns", "top", "lines"];

export function read(hash) {
  const state = {};
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (name === "no") { if (CHOICES.includes(value)) state[value] = null; }
    else if (CHOICES.includes(name) || SHOWN.includes(name)) state[name] = value;
  }
  return state;
}

export function address(state) {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value === null) out.append("no", name);
    else if (value !== undefined) out.append(name, value);
  }
  return out.toString();
}

export const filterOf = (state) => Object.fromEntries(Object.entries(state).filter(([name]) => FILTERS.includes(name) || name === "since" || name === "until"));

// The state after a click on what stands for `pick`: chosen, or taken back where it was. A category comes without the cause of another.
export function picked(state, pick) {
  const wanted = read(pick), names = Object.keys(wanted), next = { ...state };
  const isThere = names.every((name) => state[name] === wanted[name]) && !(names.includes("category") && !names.includes("cause") && state.cause !== undefined);
  for (const name of names) delete next[name];
  if (names.includes("category")) delete next.cause;
  if (names.includes("since") || names.includes("until")) { delete next.since; delete next.until; }
  return isThere ? next : { ...next, ...wanted };
}

export const isPicked = (state, pick) => { const wanted = read(pick); return Object.entries(wanted).every(([name, value]) => state[name] === value); };

// What is chosen, in order, each with the names that stand for it: a stretch of time is one choice, as a category with its cause is.
export function choices(state) {
  const found = [];
  for (const name of Object.keys(state)) {
    if (!CHOICES.includes(name)) continue;
    const names = name === "since" || name === "until" ? ["since", "until"] : name === "category" || name === "cause" ? ["category", "cause"] : [name];
    if (!found.some((one) => one.names.includes(name))) found.push({ names: names.filter((each) => state[each] !== undefined) });
  }
  return found;
}

export function without(state, names) {
  return Object.fromEntries(Object.entries(state).filter(([name]) => !names.includes(name)));
}
