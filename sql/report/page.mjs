// page.mjs - the page that is drawn where scripts run: what is chosen is in the address, and a change of it draws all figures anew.

import { inflate, unpack } from "./cells.mjs";
import { MEANINGS, meaning, summary, named } from "./figures.mjs";
import { escape } from "./draw.mjs";
import { read, address, picked, choices, without } from "./state.mjs";
import { View, stretch } from "./view.mjs";
import { jobPanel } from "./job.mjs";
import { SECTIONS } from "./sections.mjs";

function trail(view) {
  const { state, head } = view, found = choices(state);
  const text = ({ names }) => {
    if (names.includes("since") || names.includes("until")) return ["time", `${(state.since ?? head.times[0]).slice(0, 16)} to ${(state.until ?? "the end").slice(0, 16)}`];
    if (names.includes("category")) return ["measured", view.measureName + (state.cause === null ? ", no cause" : "")];
    return [names[0], named(state[names[0]])];
  };
  const crumbs = found.map((one, i) => {
    const [name, value] = text(one), rest = found.slice(i + 1).flatMap(({ names }) => names);
    return `<li><button type="button" data-back="${escape(rest.join(","))}" title="Back to here"${i === found.length - 1 ? ' aria-current="true"' : ""}>${escape(name)}: <b>${escape(value)}</b></button>` +
      `<button type="button" class="off" data-back="${escape(one.names.join(","))}" aria-label="${escape(`Take back ${name} ${value}`)}">×</button></li>`;
  });
  const kind = head.grain === "hour" ? "datetime-local" : "date", at = (time) => (time ? (head.grain === "hour" ? time.slice(0, 16).replace(" ", "T") : time.slice(0, 10)) : "");
  return `<ol><li><button type="button" data-back="*">Everything</button></li>${crumbs.join("")}</ol><span class="times"><label>From <input type="${kind}" step="${head.grain === "hour" ? 3600 : 1}" data-time="since" value="${at(state.since ?? head.times[0])}"></label> ` +
    `<label>until <input type="${kind}" step="${head.grain === "hour" ? 3600 : 1}" data-time="until" value="${at(state.until)}"></label></span>`;
}

const wordsOf = (names) => `<dl>${[...new Set(names)].map((name) => `<dt>${escape(name)}</dt><dd>${escape(["MPG", "SG", "RG", "PG", "traced", "rated"].includes(name) ? MEANINGS[name] : meaning(name))}</dd>`).join("")}</dl>`;

class Page {
  constructor(cells, root) {
    this.cells = cells;
    this.root = root;
    this.figures = {};
    const section = ({ id, title, about = "" }) => `<section id="live-${id}">${title ? `<div class="begin"><h2>${escape(title)}</h2><p class="quiet about">${escape(about)}</p><p class="controls"></p>` : "<div>"}<div class="body"></div></div>` +
      `<div class="more">${["words", "data", "sql"].map((kind) => `<details class="${kind}"><summary>${{ words: "Words", data: "Data", sql: "SQL" }[kind]}</summary><div></div></details>`).join("")}</div></section>`;
    root.innerHTML = `<nav id="trail" aria-label="What is chosen"></nav><p id="summary" role="status"></p>` + SECTIONS.map(section).join("") + `<section id="live-job" hidden></section>`;
    root.insertBefore(root.querySelector("#live-job"), root.querySelector("#live-segment"));
    root.addEventListener("click", (event) => this.clicked(event.target));
    root.addEventListener("change", (event) => this.changed(event.target));
    root.addEventListener("toggle", (event) => this.opened(event.target), true);
    addEventListener("keydown", (event) => this.pressed(event));
    addEventListener("hashchange", () => this.draw());
    let width = innerWidth;
    addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; this.draw(); } });
    this.brush();
    this.draw();
  }

  go(state) {
    const hash = "#" + address(state);
    if (hash === (location.hash || "#")) this.draw();
    else location.hash = hash;
  }

  draw() {
    const began = performance.now(), focus = this.focused();
    const view = this.view = new View(this.cells, read(location.hash));
    this.root.querySelector("#trail").innerHTML = trail(view);
    // Read before anything is written: a width that is asked for in between lays out the whole page.
    const widths = SECTIONS.map(({ id }) => this.root.querySelector(`#live-${id} .chart`)?.clientWidth);
    this.root.querySelector("#summary").textContent = view.cells.inTime.length ? summary(view.cells, view.cut).join(" ") : "No time is chosen.";
    for (const [i, { id, make, about }] of SECTIONS.entries()) {
      const part = this.root.querySelector(`#live-${id}`), figure = this.figures[id] = make(view);
      const body = part.querySelector(".body");
      body.innerHTML = figure.body ?? (`<div class="chart"></div>`);
      if (figure.draw) {
        const chart = body.firstElementChild;
        chart.innerHTML = figure.draw(Math.max(280, (widths[i] ?? chart.clientWidth) || 900));
        if (chart.querySelector("svg")) body.insertAdjacentHTML("afterbegin", '<button type="button" class="save" title="Save as a picture for slides">SVG</button>');
      }
      if (figure.title) part.querySelector("h2").textContent = figure.title;
      if (part.querySelector(".about")) part.querySelector(".about").textContent = figure.about ?? about ?? "";
      if (figure.controls) part.querySelector(".controls").innerHTML = figure.controls;
      part.querySelector(".words").hidden = !figure.words?.length;
      part.querySelector(".data").hidden = !figure.data;
      for (const details of part.querySelectorAll("details[open]")) this.opened(details);
    }
    const chart = this.root.querySelector("#live-trend .chart");
    if (chart) Object.assign(chart, { tabIndex: 0 }).setAttribute("aria-label", "Over time: choose with the arrow keys, with Shift to widen, and Enter");
    chart?.setAttribute("role", "group");
    this.cursor = null;
    const job = this.root.querySelector("#live-job");
    job.hidden = typeof view.state.job !== "string";
    if (!job.hidden) job.innerHTML = jobPanel(view, Math.max(280, this.root.clientWidth));
    this.refocus(focus);
    this.root.dataset.milliseconds = (performance.now() - began).toFixed(1);
  }

  // What had the focus is drawn anew: found again by where it is and what it stands for.
  focused() {
    const at = document.activeElement, home = at?.closest?.("section, nav");
    if (!home || !this.root.contains(at)) return null;
    const name = ["pick", "set", "back", "time"].find((each) => at.dataset[each] !== undefined);
    return { home: "#" + home.id, selector: name ? `[data-${name}="${CSS.escape(at.dataset[name])}"]` : at.classList.contains("chart") ? ".chart" : null };
  }
  refocus(focus) {
    if (!focus) return;
    const home = this.root.querySelector(focus.home), found = focus.selector && home?.querySelector(focus.selector);
    (found ?? this.root.querySelector("#trail button"))?.focus({ preventScroll: true });
  }

  opened(details) {
    const part = details.closest("section"), figure = this.figures[part?.id.replace("live-", "")], into = details.querySelector(":scope > div");
    if (!figure || !into || !details.open) return;
    if (details.className === "words") into.innerHTML = wordsOf(figure.words ?? []);
    if (details.className === "data" && figure.data) into.innerHTML = figure.data();
    if (details.className === "sql") into.innerHTML = `<pre tabindex="0">${escape(figure.sql())}</pre>`;
  }

  clicked(target) {
    const pick = target.closest("[data-pick]"), back = target.closest("[data-back]"), set = target.closest("button[data-set]"), save = target.closest(".save");
    const { state } = this.view;
    if (pick) this.go(picked(state, pick.dataset.pick));
    else if (back) this.go(back.dataset.back === "*" ? without(state, choices(state).flatMap(({ names }) => names)) : without(state, back.dataset.back.split(",")));
    else if (set) this.go({ ...state, ...read(set.dataset.set) });
    else if (save) this.save(save.closest("section"));
  }

  changed(target) {
    const { state, head } = this.view;
    if (target.dataset.set) this.go({ ...state, [target.dataset.set]: target.value });
    if (!target.dataset.time) return;
    const text = target.value.replace("T", " "), at = text ? (head.grain === "hour" ? text.slice(0, 13) + ":00:00" : text.slice(0, 10) + " 00:00:00") : undefined;
    const next = { ...without(state, [target.dataset.time]), ...(at ? { [target.dataset.time]: at } : {}) };
    if (next.since === head.times[0]) delete next.since;
    this.go(next);
  }

  pressed(event) {
    const at = document.activeElement, { state } = this.view;
    if ((event.key === "Enter" || event.key === " ") && at?.matches?.("svg [data-pick]")) {
      event.preventDefault();
      this.clicked(at);
    } else if (event.key === "Escape") {
      const found = choices(state);
      if (this.cursor) { this.cursor = null; this.shade(0, -1); }
      else if (found.length) this.go(without(state, found[found.length - 1].names));
    } else if (at?.closest?.("#live-trend .chart") && ["ArrowLeft", "ArrowRight", "Enter"].includes(event.key)) {
      event.preventDefault();
      const { buckets } = this.figures.trend, n = buckets.length;
      if (event.key === "Enter") { if (this.cursor) this.go(stretch(this.view, buckets, this.cursor.from, this.cursor.to)); return; }
      const step = event.key === "ArrowLeft" ? -1 : 1, to = Math.max(0, Math.min(n - 1, this.cursor ? this.cursor.to + step : step > 0 ? 0 : n - 1));
      this.cursor = { from: event.shiftKey && this.cursor ? this.cursor.from : to, to };
      this.shade(this.cursor.from, to);
    }
  }

  // Shows buckets a to b as the stretch that would be chosen, and says it.
  shade(a, b) {
    const chart = this.root.querySelector("#live-trend .chart"), brush = chart.querySelector(".brush"), hits = chart.querySelectorAll("[data-bucket]");
    if (!brush) return;
    const [first, last] = [hits[Math.min(a, b)], hits[Math.max(a, b)]], x = first ? Number(first.getAttribute("x")) : 0;
    brush.setAttribute("x", x);
    brush.setAttribute("width", first && b >= 0 ? Number(last.getAttribute("x")) + Number(last.getAttribute("width")) - x : 0);
    if (first && b >= 0) chart.setAttribute("aria-label", first === last ? first.textContent : `${first.textContent.split(": ")[0]} to ${last.textContent.split(": ")[0]}`);
  }

  brush() {
    let from = null;
    const bucket = (event) => {
      const svg = this.root.querySelector("#live-trend svg"), box = svg.getBoundingClientRect(), hits = svg.querySelectorAll("[data-bucket]"), at = (event.clientX - box.left) * (svg.viewBox.baseVal.width / box.width);
      const left = Number(hits[0].getAttribute("x")), step = Number(hits[0].getAttribute("width"));
      return Math.max(0, Math.min(hits.length - 1, Math.floor((at - left) / step)));
    };
    this.root.addEventListener("pointerdown", (event) => { if (event.button === 0 && event.target.closest("#live-trend .hits")) { from = bucket(event); this.shade(from, from); event.preventDefault(); } });
    addEventListener("pointermove", (event) => { if (from !== null) this.shade(from, bucket(event)); });
    addEventListener("pointerup", (event) => {
      if (from === null) return;
      const [a, b] = [from, bucket(event)];
      from = null;
      this.go(stretch(this.view, this.figures.trend.buckets, a, b));
    });
    addEventListener("pointercancel", () => { from = null; this.shade(0, -1); });
  }

  save(section) {
    const link = document.createElement("a"), text = [...section.querySelectorAll("svg")][0].outerHTML.replaceAll("currentColor", "#1c2430");
    link.href = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
    link.download = section.id.replace("live-", "") + ".svg";
    link.click();
  }
}

export async function begin() {
  if (typeof DecompressionStream !== "function") return; // an old browser: the page stays what it is without scripts
  const cells = unpack(await inflate(document.getElementById("cells").textContent.trim()));
  const live = document.getElementById("live");
  document.getElementById("plain").hidden = true;
  live.hidden = false;
  globalThis.mpgPage = new Page(cells, live);
  document.body.classList.add("drawn");
}

if (typeof document === "object") begin();
