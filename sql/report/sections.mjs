// sections.mjs - the figures of the page. Each gives the HTML of its body or draws its chart for a width, and on demand its data, its SQL and its words.
//
// A whole number stands in the page as <data value="chip-microseconds">, a ratio as <data value="of/all">: what is read there is what SQL says.

import { Cells, SEGMENTS, layerOf } from "./cells.mjs";
import { MEANINGS, ratios, valueOf, percent, fixed, hours, money, cost, losses, changes, named } from "./figures.mjs";
import { escape, waterfall, lossBars, offenders, changeBars, factors, trend, heat } from "./draw.mjs";
import { isPicked, without } from "./state.mjs";
import { BUCKETS, bucketsOf, measuredBy } from "./view.mjs";

const FACTORS = ["SG", "RG", "PG"];
const CALLED = { MPG: "MPG", SG: "SG · Scheduling", RG: "RG · Runtime", PG: "PG · Program", traced: "Traced", rated: "Rated" };
const LINES = 12; // of a table or a map, before it is asked for more

const by = (value, name) => (value === null ? `no=${name}` : new URLSearchParams([[name, value]]).toString());
const us = (value, name, text = hours(value)) => `<data value="${value}" data-name="${name}">${escape(text)}</data>`;
const of = (ratio, name) => `<data value="${ratio.of}/${ratio.all}" data-name="${name}" data-bound="${Boolean(ratio.isBound)}">${escape(percent(ratio))}</data>`;

function bar(ratio) {
  const value = valueOf(ratio);
  return value !== null && value >= 0 && value <= 1 ? ` style="--v:${(100 * value).toFixed(1)}%"` : "";
}

function button(pick, state, text) {
  return `<button type="button" class="pick" data-pick="${escape(pick)}" aria-pressed="${isPicked(state, pick)}">${escape(text)}</button>`;
}

function table(heads, rows, caption) {
  const head = heads.map(([text, kind, title]) => `<th scope="col" class="${kind}"${title ? ` title="${escape(title)}"` : ""}>${escape(text)}</th>`).join("");
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escape(caption)}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

// ---- The figures: each gives the HTML of its body, and on demand its data and its SQL ----

function worth(view, name, ratio) {
  const { head, cells } = view;
  if (!["MPG", ...FACTORS].includes(name) || ratio.all === 0n) return "";
  const said = [`1 point = ${hours(ratio.all / 100n)} chip-hours`];
  if (Object.keys(head.prices).length) {
    const part = { MPG: (s) => (view.ofJobs ? s.held : s.capacity), SG: (s) => (view.ofJobs ? s.held : s.capacity), RG: (s) => s.allocated - s.untraced, PG: (s) => s.productive - s.unrated }[name];
    const { micros, unpriced } = cost(cells.bySegment("chip"), head.prices, part);
    said.push(`${unpriced.length ? "at least " : ""}${money(micros / 100, head.currency)}${unpriced.length ? ` (no price of ${unpriced.join(", ")})` : ""}`);
  }
  const target = head.targets[name], value = valueOf(ratio);
  if (target !== undefined) {
    const gap = value === null ? null : target - value;
    said.push(gap === null ? `target ${fixed(100 * target, 1)}%` : gap > 0 ? `target ${fixed(100 * target, 1)}%: ${ratio.isBound ? "at most " : ""}${fixed(100 * gap, 1)} points away, ${hours(BigInt(Math.round(gap * Number(ratio.all))))} chip-hours` : `target ${fixed(100 * target, 1)}% is met`);
  }
  return said.join(" · ");
}

const MEANS = {
  MPG: (view) => `ideal work of ${view.ofJobs ? "what these jobs held" : "all capacity"}`, SG: (view) => `of ${view.ofJobs ? "what these jobs held" : "capacity"} was held by jobs that had everything they needed`,
  RG: () => "of that time made progress that lasted", PG: () => "of the chips’ roofline is what that progress ran at",
  traced: () => "of the allocated time has runtime records", rated: () => "of the productive time has known FLOPs",
};

function cards(view) {
  const found = ratios(view.sums, view.ofJobs);
  const one = (name) => {
    const ratio = found[name], value = valueOf(ratio), target = view.head.targets[name], said = worth(view, name, ratio);
    return `<div class="factor ${name === "MPG" ? "whole" : ""} ${name}" data-name="${name}"><div class="name" title="${escape(MEANINGS[name])}">${CALLED[name]}</div><div class="figure${value === null ? " none" : ""}">${of(ratio, name)}</div>` +
      `<div class="meter" aria-hidden="true"><div style="width:${(100 * Math.max(0, Math.min(1, value ?? 0))).toFixed(1)}%"></div>${target === undefined ? "" : `<i style="left:${100 * target}%"></i>`}</div>` +
      `<div class="means">${escape(MEANS[name](view))}</div>${said ? `<div class="worth">${escape(said)}</div>` : ""}</div>`;
  };
  const { sums, cells } = view, chosen = view.measure ? measuredBy(view, cells.runs.none, [""]).get("") : null;
  const said = chosen === null ? "" : `<p>Measured everywhere below: <b>${escape(view.measureName)}</b>, ${us(chosen, "measure_us")} chip-hours, ${of({ of: chosen, all: view.all }, "measure")} of ${view.whole}.</p>`;
  const line = `Of ${us(view.all, view.ofJobs ? "held_us" : "capacity_us")} chip-hours of ${view.whole}, ${us(sums.ideal, "ideal_us")} were ideal work.` + (sums.queued === 0n ? "" : ` Another ${us(sums.queued, "queued_us")} were wanted by jobs that waited.`);
  return { body: `<div class="factors">${Object.keys(CALLED).map(one).join("")}</div><p>${line}</p>${said}`, words: Object.keys(CALLED), sql: () => view.sql("cards") };
}

const SUMMED = ["capacity", "allocated", "partial", "untraced", "productive", "unrated", "ideal", "queued"];
const sumHeads = SUMMED.map((name) => [`${name}, chip-hours`, "number"]);
const sumCells = (sums) => SUMMED.map((name) => `<td>${sums ? us(sums[name], `${name}_us`) : "–"}</td>`).join("");
const row = (keys, cells) => `<tr data-row="${escape(JSON.stringify(keys))}">${keys.map((key) => `<td class="text">${escape(named(key))}</td>`).join("")}${cells}</tr>`;

function segments(view) {
  const { cells, segment, state, head } = view, ofJobs = view.ofJobs || !["pool", "chip"].includes(segment), all = (s) => (ofJobs ? s.held : s.capacity);
  // Its own choice does not bound the list of what can be chosen: the others stay in sight.
  cells.except([segment]);
  const isOfOthers = Cells.isOfJobs(without(view.filter, [segment])), others = { ...view, ofJobs: isOfOthers };
  const groups = cells.bySegment(segment).filter(({ sums }) => all(sums) !== 0n || sums.queued !== 0n);
  const causes = view.measure ? measuredBy(view, cells.codesOf(segment), cells.by[segment].names) : null;
  cells.except([]);
  const measure = (value) => causes.get(value) ?? 0n, base = others.ofJobs || !["pool", "chip"].includes(segment);
  const whole = (s) => (base ? s.held : s.capacity), big = (a, b) => (b > a) - (b < a);
  groups.sort((a, b) => (causes ? big(measure(a.value), measure(b.value)) : 0) || big(whole(a.sums), whole(b.sums)) || (String(a.value) < String(b.value) ? -1 : 1));
  const shown = groups.slice(0, Number(state.lines) || LINES);
  const line = ({ value, sums }) => {
    const r = ratios(sums, base), [worst] = losses(sums, base), pick = by(value, segment);
    const target = head.targets.MPG, isBelow = target !== undefined && valueOf(r.MPG) !== null && valueOf(r.MPG) < target && !r.MPG.isBound;
    return `<tr data-row="${escape(JSON.stringify([value]))}"${isPicked(state, pick) ? ' class="picked"' : ""}><td class="text">${button(pick, state, named(value))}</td>` +
      (causes ? `<td${bar({ of: measure(value), all: whole(sums) })}>${of({ of: measure(value), all: whole(sums) }, "measure")}</td><td>${us(measure(value), "measure_us")}</td>` : "") +
      ["MPG", ...FACTORS].map((name) => `<td${bar(r[name])}${name === "MPG" && isBelow ? ' class="below" title="below the target"' : ""}>${of(r[name], name)}</td>`).join("") +
      `<td>${us(whole(sums), base ? "held_us" : "capacity_us")}</td><td>${us(sums.lost, "lost_us")}</td><td class="text">${worst && worst.us > 0n ? `${button(`category=${worst.category}`, state, worst.category)} ${us(worst.us, "worst_us")}` : "–"}</td></tr>`;
  };
  const heads = [[segment, "text"], ...(causes ? [[view.measureName, "number"], ["chip-hours", "number"]] : []),
    ...["MPG", ...FACTORS].map((name) => [name, "number", MEANINGS[name]]), [base ? "held, chip-hours" : "capacity, chip-hours", "number"], ["lost, chip-hours", "number", MEANINGS.lost], ["most to", "text"]];
  const options = SEGMENTS.map((name) => `<option${name === segment ? " selected" : ""}>${name}</option>`).join("");
  const more = groups.length > shown.length ? `<p><button type="button" data-set="lines=100000">All ${groups.length}</button> The table has the ${shown.length} largest.</p>` : "";
  return {
    title: `By ${segment}`, body: `<p class="controls"><label>By <select data-set="by">${options}</select></label></p>${table(heads, shown.map(line), `By ${segment}`)}${more}`, words: ["MPG", ...FACTORS, "lost"],
    data: () => table([[segment, "text"], ...sumHeads], groups.map(({ value, sums }) => row([value], sumCells(sums))), `Sums by ${segment}`),
    sql: () => view.sql("segment", { filter: without(view.filter, [segment]) }),
  };
}

function falls(view) {
  const { sums, all, ofJobs, state } = view;
  let at = all;
  const steps = [{ category: ofJobs ? "held" : "capacity", layer: "capacity", us: all, from: 0n, to: all }];
  for (const category of sums.parts.names) {
    const here = sums.of(category);
    if (category === "queued" || category === "ideal" || here === 0n || (ofJobs && (category === "idle" || category === "down"))) continue;
    steps.push({ category, layer: layerOf(category), us: here, from: at, to: at - here });
    at -= here;
  }
  steps.push({ category: "ideal", layer: "ideal", us: sums.ideal, from: 0n, to: sums.ideal });
  return {
    draw: (width) => waterfall(width, { steps, all, whole: view.whole, picked: state.category }), words: steps.slice(1).map(({ category }) => category),
    data: () => table([["category", "text"], ["chip-hours", "number"], [`of ${view.whole}`, "number"]], steps.slice(1).filter(({ us: here }) => here !== 0n).map(({ category, us: here }) => row([category], `<td>${us(here, "chip_us")}</td><td>${of({ of: here, all }, "share")}</td>`)), "Chip-hours by category"),
    sql: () => view.sql("waterfall"),
  };
}

function lossesOf(view) {
  const causes = view.cells.byCause().filter(({ category, us: here }) => category !== "ideal" && category !== "queued" && here !== 0n);
  const several = new Set(causes.map(({ category }) => category).filter((category, i, every) => every.indexOf(category) !== i));
  const rows = causes.map(({ category, cause, us: here }) => {
    const pick = several.has(category) ? `category=${encodeURIComponent(category)}&${by(cause, "cause")}` : `category=${encodeURIComponent(category)}`;
    return { category, cause, layer: layerOf(category), us: here, pick, isPicked: isPicked(view.state, pick) };
  }).sort((a, b) => (b.us > a.us) - (b.us < a.us));
  return {
    draw: (width) => (rows.length ? lossBars(width, { rows, all: view.all, whole: view.whole }) : ""), words: [...new Set(rows.map(({ category }) => category))],
    data: () => table([["category", "text"], ["cause", "text"], ["chip-hours", "number"]], rows.map(({ category, cause, us: here }) => row([category, cause], `<td>${us(here, "chip_us")}</td>`)), "Losses by cause"),
    sql: () => view.sql("losses"),
  };
}

function overTime(view) {
  const { ofJobs, measure, head, cells } = view, buckets = bucketsOf(view), empty = { of: 0n, all: 0n };
  const ratio = (name) => buckets.map(({ sums }) => (sums ? ratios(sums, ofJobs)[name] : empty));
  let lines;
  if (measure) {
    const { names, codes } = cells.codesOfTime(BUCKETS[view.bucket]), found = measuredBy(view, codes, names, cells.each);
    lines = [{ name: `${view.measureName}, of ${view.whole}`, colour: "#d1495b", isBold: true, ratios: buckets.map(({ name, sums }) => (sums ? { of: found.get(name) ?? 0n, all: ofJobs ? sums.held : sums.capacity } : empty)) }];
  } else {
    const mpg = ratio("MPG"), isBound = mpg.some((one) => one.isBound);
    const seven = buckets.map((_, i) => buckets.slice(Math.max(0, i - 6), i + 1).map(({ sums }) => sums).filter(Boolean).reduce((a, b) => (a ? a.plus(b) : b), null));
    lines = [{ name: isBound ? "MPG, at least" : "MPG", colour: "#3f9c5a", isBold: true, ratios: mpg }];
    if (buckets.length > 7) lines.push({ name: "last 7", colour: "#3f9c5a", isDashed: true, ratios: seven.map((sums) => (sums ? ratios(sums, ofJobs).MPG : empty)) });
    for (const [name, colour] of [["SG", "#d99000"], ["RG", "#d1495b"], ["PG", "#3b8ea5"]]) lines.push({ name, colour, ratios: ratio(name) });
  }
  const cut = buckets.findIndex(({ since }) => since >= view.cut);
  return {
    buckets, draw: (width) => trend(width, { buckets, lines, cut, target: measure ? undefined : head.targets.MPG, name: `By ${view.bucket}` }), words: ["MPG", ...FACTORS],
    data: () => table([[view.bucket, "text"], ...sumHeads], buckets.filter(({ sums }) => sums).map(({ name, sums }) => row([name], sumCells(sums))), `Sums by ${view.bucket}`),
    sql: () => view.sql("trend"),
  };
}

function change(view) {
  const { cells, ofJobs, state } = view, [before, after] = cells.byCut(view.cut), rows = changes(before, after, ofJobs);
  const sides = [before, after].map((sums) => (sums ? ratios(sums, ofJobs) : null));
  return {
    about: `Before and after ${view.cut.slice(0, 16)}. Ring: before; dot: after. A loss that fell is a gain only where its hours became ideal work: the bar of ideal tells, and all bars together are nothing.`,
    draw: (width) => (rows ? factors(width, { rows: [...FACTORS, "MPG"].map((name) => ({ name, before: sides[0][name], after: sides[1][name] })) }) + changeBars(width, { rows, whole: view.whole, picked: state.category }) : "<p>Nothing to compare: one of the two has no cells.</p>"),
    words: rows ? rows.map(({ category }) => category) : [],
    data: () => table([["", "text"], ["category", "text"], ["chip-hours", "number"]], [before, after].flatMap((sums, i) => (sums ? sums.parts.names.filter((name) => name !== "queued" && sums.of(name) !== 0n)
      .map((name) => row([i, name], `<td>${us(sums.of(name), "chip_us")}</td>`)) : [])), "Chip-hours before (0) and after (1)"),
    sql: () => view.sql("change"),
  };
}

function heatMap(view) {
  const { cells, state, measure } = view, names = [view.rows, view.columns];
  cells.except(names);
  const found = cells.byTwo(...names).filter(({ sums }) => sums.held !== 0n);
  let causes = null;
  if (measure) {
    const wide = cells.by[names[1]].names, tall = cells.by[names[0]].names;
    causes = measuredBy(view, cells.codesOfTwo(...names), tall.flatMap((row) => wide.map((column) => JSON.stringify([row, column]))));
  }
  cells.except([]);
  const order = (name) => {
    const total = new Map(), column = name === names[0] ? "row" : "column";
    for (const one of found) total.set(one[column], (total.get(one[column]) ?? 0n) + one.sums.held);
    const sizes = ["S", "M", "L", "XL"], all = [...total.keys()];
    const ranked = all.sort((a, b) => (total.get(b) > total.get(a)) - (total.get(b) < total.get(a))).slice(0, LINES);
    return { left: all.length - ranked.length, values: name === "size" ? ranked.sort((a, b) => sizes.indexOf(a) - sizes.indexOf(b)) : ranked };
  };
  const rows = order(names[0]), columns = names[0] === names[1] ? { ...rows, left: 0 } : order(names[1]);
  const marks = found.map(({ row: a, column: b, sums }) => {
    const pick = names[0] === names[1] ? by(a, names[0]) : `${by(a, names[0])}&${by(b, names[1])}`, part = causes?.get(JSON.stringify([a, b]));
    return { row: a, column: b, us: sums.held, ratio: causes ? { of: part, all: sums.held } : ratios(sums, true).MPG, pick, isPicked: isPicked(state, pick) };
  });
  const options = (chosen) => [...SEGMENTS].map((name) => `<option${name === chosen ? " selected" : ""}>${name}</option>`).join(""), left = [rows, columns].reduce((sum, one) => sum + one.left, 0);
  return {
    about: `${measure ? view.measureName : "MPG"} of what jobs held; the small figure is the chip-hours held.${left ? ` The ${LINES} that held most are drawn each way; ${left} are in the data alone.` : ""}`,
    controls: `<label>Down <select data-set="rows">${options(names[0])}</select></label> <label>Across <select data-set="columns">${options(names[1])}</select></label>`,
    draw: (width) => (marks.length ? heat(width, { rows: rows.values, columns: columns.values, cells: marks, isLoss: Boolean(causes), name: `By ${names.join(" and ")}` }) : "<p>Nothing was held here.</p>"), words: ["MPG"],
    data: () => table([[names[0], "text"], [names[1], "text"], ...sumHeads], found.map(({ row: a, column: b, sums }) => row([a, b], sumCells(sums))), "Sums by both"),
    sql: () => view.sql("heat", { filter: without(view.filter, names) }),
  };
}

function topJobs(view) {
  const { cells, state, measure, head } = view;
  cells.except(["job"]);
  const found = cells.byJob(), causes = measure ? measuredBy(view, cells.runs.codes.listed, cells.by.job.names) : null;
  cells.except([]);
  const part = (one) => (causes ? causes.get(one.job) : one.sums.lost);
  for (const one of found) one.us = part(one);
  const ranked = found.filter((one) => (causes ? one.us !== 0n : one.sums.held !== 0n)).sort((a, b) => (b.us > a.us) - (b.us < a.us) || (a.job < b.job ? -1 : 1)).slice(0, view.top);
  const rows = ranked.map((one) => {
    const inefficiency = one.sums.of("inefficiency"), { partial } = one.sums, pick = by(one.job, "job");
    const parts = causes ? [{ us: one.us, layer: layerOf(measure.category) }]
      : [{ us: partial, layer: "scheduling" }, { us: one.us - partial - inefficiency, layer: "runtime" }, { us: inefficiency, layer: "program" }];
    return { name: one.name ? `${one.job} · ${one.name}` : one.job, us: one.us, parts, pick, isPicked: isPicked(state, pick) };
  });
  const what = causes ? `chip-hours of ${view.measureName}` : "chip-hours lost";
  return {
    about: `Who ${causes ? `has most of ${view.measureName}` : "lost most, in which layer: the scheduler’s, the runtime’s or the program’s"}. A click shows the job.` +
      (head.folded ? ` The ${head.folded} jobs that held least are not listed one by one; every sum counts them.` : ""),
    draw: (width) => (rows.length ? offenders(width, { rows, what }) : "<p>No job.</p>"), words: ["lost"],
    controls: `<button type="button" data-set="top=${view.top < 50 ? 50 : head.top}">${view.top < 50 ? "50 jobs" : "Fewer jobs"}</button>`,
    data: () => table([["job", "text"], ["name", "text"], ["owner", "text"], ["held, chip-hours", "number"], ["lost, chip-hours", "number"], ["MPG", "number"]], ranked.map((one) =>
      `<tr data-row="${escape(JSON.stringify([one.job]))}"><td class="text">${button(by(one.job, "job"), state, one.job)}</td><td class="text">${escape(one.name ?? "–")}</td><td class="text">${escape(one.owner ?? "–")}</td>` +
      `<td>${us(one.sums.held, "held_us")}</td><td>${us(one.sums.lost, "lost_us")}</td><td>${of(ratios(one.sums, true).MPG, "MPG")}</td></tr>`), "Jobs"),
    sql: () => view.sql("jobs", { filter: without(view.filter, ["job"]) }),
  };
}

function quality(view) {
  const groups = view.cells.bySegment("pool").filter(({ value }) => value !== null).sort((a, b) => (a.value < b.value ? -1 : 1));
  const line = (value, sums, keys) => {
    const { traced, rated } = ratios(sums, view.ofJobs), { allocated } = sums;
    return row(keys, [traced, rated, { of: sums.of("unknown"), all: allocated }, { of: sums.of("pending"), all: allocated }].map((one, i) => `<td${bar(one)}>${of(one, ["traced", "rated", "unknown", "pending"][i])}</td>`).join(""));
  };
  const heads = [["pool", "text"], ["traced", "number", MEANINGS.traced], ["rated", "number", MEANINGS.rated], ["unknown", "number", MEANINGS.unknown], ["pending", "number", MEANINGS.pending]];
  const { issues } = view.head;
  return {
    body: table(heads, groups.map(({ value, sums }) => line(value, sums, [value])), "Data quality by pool") + `<p>${issues ? `The build noticed ${issues.toLocaleString("en")} records that are wrong or doubtful, of the whole fleet` : "The build noticed nothing wrong"}: the table <code>issues</code> lists them.</p>`,
    words: ["traced", "rated", "unknown", "pending"], sql: () => view.sql("quality"),
  };
}

export const SECTIONS = [
  { id: "cards", title: "", make: cards },
  { id: "segment", title: "By segment", about: "A click on a name filters everything else; a click on a loss shows where it is.", make: segments },
  { id: "waterfall", title: "Where the chip-hours went", about: "From everything down to ideal work: each bar is what one category took from what the bars above it left.", make: falls },
  { id: "losses", title: "The losses, to their own scale", make: lossesOf },
  { id: "trend", title: "Over time", about: "Drag over a stretch of time to look at it alone; or move with the arrow keys, with Shift to widen, and press Enter.", make: overTime },
  { id: "change", title: "Before and after", make: change },
  { id: "heat", title: "By two segments", make: heatMap },
  { id: "jobs", title: "Top jobs", make: topJobs },
  { id: "quality", title: "Data quality", about: "How much of each pool’s time the records explain. The less they do, the less should be concluded.", make: quality },
];
