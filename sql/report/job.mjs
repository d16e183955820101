// job.mjs - one job in the page: what it is, and its timeline with the record behind each interval.

import { layerOf } from "./cells.mjs";
import { meaning, hours, named, ratios, percent } from "./figures.mjs";
import { escape, timeline } from "./draw.mjs";

const clock = (us) => new Date(us / 1000).toISOString().replace("T", " ").slice(0, 19);

function length(us) {
  const seconds = us / 1e6;
  return seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 2 : 0)} s` : seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

// The intervals of a job as report_cells.py packed them: objects, times in microseconds since 1970.
export function intervalsOf({ timelines }, job) {
  const found = timelines?.jobs?.[job];
  if (!found) return null;
  const text = (place) => (place === null ? null : timelines.texts[place]);
  let start = found.begin;
  const rows = found.rows.map(([gap, time, attempt, category, cause, kind, program, first, last, count, us, ideal, file, line, lastLine]) => {
    start += gap;
    return { start, end: start + time, attempt, category: text(category), cause: text(cause), kind: text(kind), program: text(program), first, last, count, us: BigInt(us), ideal: BigInt(ideal), file: text(file), line, lastLine };
  });
  return { rows, left: found.left, gap: found.gap };
}

function ticksOf(from, to) {
  const steps = [1, 5, 15, 60, 300, 900, 3600, 10800, 21600, 43200, 86400, 2 * 86400, 7 * 86400, 30 * 86400].map((seconds) => seconds * 1e6);
  return (count) => {
    const step = steps.find((each) => (to - from) / each <= count) ?? (to - from) / count, found = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push({ at, text: clock(at).slice(5, step < 60e6 ? 19 : step < 86400e6 ? 16 : 10) });
    return found;
  };
}

const evidence = ({ file, line, lastLine }) => (file === null ? "–" : `${file}${line === null ? "" : `:${line}${lastLine !== null && lastLine !== line ? `–${lastLine}` : ""}`}`);
const what = (one) => `${one.category}${one.cause ? ` (${one.cause})` : ""}, attempt ${one.attempt ?? "–"}: ${clock(one.start)}, ${length(one.end - one.start)}, ${hours(one.us)} chip-hours` +
  `${one.kind ? `, ${one.count > 1 ? `${one.count} × ` : ""}${one.kind}${one.first === null ? "" : ` ${one.first}${one.last !== one.first ? `–${one.last}` : ""}`}` : ""}${one.file ? `, ${evidence(one)}` : ""}`;

export function jobPanel(view, width) {
  const { head, cells, state } = view, job = state.job, who = cells.byJob()[0];
  const about = who ? ["name", "owner", "team", "phase", "framework", "runtime", "model", "size"].filter((name) => who[name] !== null).map((name) => `${name} <b>${escape(who[name])}</b>`).join(" · ") : "not in what is chosen";
  const title = `<div class="begin"><h2>The job ${escape(named(job))}</h2><p>${about}</p>`;
  const held = who ? `<p>It held ${escape(hours(who.sums.held))} chip-hours, lost ${escape(hours(who.sums.lost))} of them; MPG of what it held: ${escape(percent(ratios(who.sums, true).MPG))}.</p>` : "";
  const found = intervalsOf(head, job);
  if (!found) {
    const why = head.timelines.jobs && Object.keys(head.timelines.jobs).length ? `Timelines are kept of the ${Object.keys(head.timelines.jobs).length} jobs that lost most; this is none of them.` : head.timelines.why;
    return `${title}${held}<p>${escape(why)}</p></div>`;
  }
  const { rows, left, gap } = found, from = Math.min(...rows.map((one) => one.start)), to = Math.max(...rows.map((one) => one.end));
  const drawn = rows.map((one) => ({ ...one, title: what(one), share: one.us > 0n ? Math.max(0, Math.min(1, Number(one.ideal) / Number(one.us))) : 0 }));
  const there = new Set(rows.map(({ category }) => category)), order = ["queued", ...cells.parts.names.filter((name) => name !== "queued"), "productive"].filter((name) => there.has(name));
  const lanes = order.map((name) => ({ name, layer: name === "queued" ? "capacity" : name === "productive" ? "ideal" : layerOf(name), pick: ["queued", "productive"].includes(name) ? "" : `category=${encodeURIComponent(name)}`,
    isPicked: state.category === name, holds: ({ category }) => category === name, title: name === "productive" ? "productive: in full colour the share that was ideal work, the rest inefficiency" : `${name}: ${meaning(name)}` }));
  const wanted = view.measure ? rows.filter(({ category, cause }) => category === state.category && (state.cause === undefined || cause === state.cause)) : rows.filter(({ category }) => category !== "productive");
  const longest = [...wanted].sort((a, b) => (b.us > a.us) - (b.us < a.us)).slice(0, 40).sort((a, b) => a.start - b.start);
  const line = (one) => `<tr><td class="text when">${clock(one.start)}</td><td>${length(one.end - one.start)}</td><td>${one.attempt ?? "–"}</td><td class="text">${escape(one.category)}${one.cause ? `: ${escape(one.cause)}` : ""}</td>` +
    `<td><data value="${one.us}">${escape(hours(one.us))}</data></td><td class="text">${escape(one.kind ?? "–")}${one.first === null ? "" : ` ${one.first}${one.last !== one.first ? `–${one.last}` : ""}`}</td><td class="text">${escape(evidence(one))}</td></tr>`;
  const near = gap ? ` Intervals of one kind less than ${length(gap)} apart are drawn as one.` : "";
  const cut = left.count ? ` ${left.count.toLocaleString("en")} shorter intervals, ${hours(BigInt(left.us))} chip-hours in all, are not drawn.` : "";
  return `${title}${held}<p class="quiet">Its intervals by category, in UTC. ${escape(head.timelines.source)}${escape(near)}${escape(cut)}</p></div>` +
    `<div class="chart">${timeline(width, { intervals: drawn, lanes, from, to, ticksOf: ticksOf(from, to), name: `Timeline of ${job}` })}</div>` +
    `<details class="data" open><summary>${view.measure ? `Intervals of ${escape(view.measureName)}` : "Intervals that were not productive"}, and the records behind them: ${longest.length}${longest.length < wanted.length ? ` of ${wanted.length}, the largest` : ""}</summary><div class="scroll" tabindex="0" role="region" aria-label="Intervals"><table><thead><tr>` +
    `${["from", "for", "attempt", "category", "chip-hours", "span", "record"].map((name) => `<th scope="col" class="${["for", "attempt", "chip-hours"].includes(name) ? "number" : "text"}">${name}</th>`).join("")}</tr></thead><tbody>${longest.map(line).join("")}</tbody></table></div></details>` +
    `<details class="sql"><summary>SQL</summary><pre tabindex="0">${escape(head.timelines.sql.replace(":job", `'${String(job).replaceAll("'", "''")}'`))}</pre></details>`;
}
