// figures.mjs - what is divided last and put into words: ratios, hours, money, and the sentences of an editor.
//
// A ratio is {of, all, isBound}: two BigInts of chip-microseconds, and whether it is a lower bound. It is "not known" where `all` is
// nothing, and where a bound is nothing: that at least 0 % is useful says nothing.

import { Cells, layerOf } from "./cells.mjs";

export const HOUR = 3600000000n; // of a chip, in chip-microseconds
export const NOT_KNOWN = "not known";

export const MEANINGS = {
  MPG: "ML Productivity Goodput: ideal work of all capacity, SG × RG × PG. “≥”: at least, for time without records counts as no ideal work",
  SG: "Scheduling Goodput: how much of the capacity was held by jobs that had everything they needed",
  RG: "Runtime Goodput: how much of that time made progress that lasted; time without runtime records is left out",
  PG: "Program Goodput: how much of the chips’ roofline that progress ran at; programs without known FLOPs are left out",
  traced: "how much of the allocated time has runtime records: RG speaks of this part alone",
  rated: "how much of the productive time is of programs with known FLOPs on a known chip: PG speaks of this part alone",
  lost: "chip-hours held less ideal work, less what is not traced or not rated",
  down: "installed, but out of service",
  idle: "in service, and held by no job; below zero where jobs hold more than exists",
  partial: "held by a job that waits for the rest of its gang, or beyond its need",
  startup: "start of devices and processes, loading, data preparation",
  compile: "tracing and compilation",
  restore: "reading a checkpoint back",
  input: "waiting for input data",
  checkpoint: "blocked on saving a checkpoint",
  eval: "evaluation that interrupts training",
  stall: "a hang, a time-out, no traffic to serve, or what the cause names",
  lost_steps: "steps that ran and are not in what survived",
  pending: "steps whose fate is open at the end of the trace",
  unknown: "time of a traced job that nothing explains",
  untraced: "time of jobs without any runtime record: nobody knows what they did",
  inefficiency: "productive time above the roofline; below zero where the ideal was beaten",
  unrated: "productive time of programs whose FLOPs or chip are not known",
  ideal: "roofline time of the progress that survived",
  queued: "asked for and not held; outside the capacity",
};
export const meaning = (name) => MEANINGS[name === "lost" ? "lost_steps" : name] ?? "a category that this page does not know";

// The ratios of a group. Of jobs, what they held is the whole: idle and broken chips are nobody's.
export function ratios(sums, ofJobs) {
  const { allocated, untraced, productive, unrated, ideal } = sums, all = ofJobs ? sums.held : sums.capacity;
  return {
    MPG: { of: ideal, all, isBound: untraced !== 0n || unrated !== 0n },
    SG: { of: allocated, all },
    RG: { of: productive, all: allocated - untraced },
    PG: { of: ideal, all: productive - unrated },
    traced: { of: allocated - untraced, all: allocated },
    rated: { of: productive - unrated, all: productive },
  };
}

// A double, or null where nobody knows.
export function valueOf(ratio) {
  if (!ratio || ratio.all === 0n || (ratio.isBound && ratio.of === 0n)) return null;
  return Number(ratio.of) / Number(ratio.all);
}

const plain = (text) => (/^-0(\.0*)?$/.test(text) ? text.slice(1) : text.replace("-", "−")); // no "-0.0"
export const fixed = (value, digits) => plain(value.toFixed(digits));
const signed = (text) => (/[1-9]/.test(text) && !text.startsWith("−") ? "+" + text : text);

export function percent(ratio, digits = 1) {
  const value = valueOf(ratio);
  return value === null ? NOT_KNOWN : (ratio.isBound ? "≥ " : "") + fixed(100 * value, digits) + "%";
}
export const spoken = (ratio) => percent(ratio).replace("≥", "at least");
export const points = (change) => (change === null ? NOT_KNOWN : signed(fixed(100 * change, 1)));

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 }), exact = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const written = (value) => (value === 0 || Math.abs(value) >= 100 ? grouped : exact).format(value);

export function hours(us) {
  const value = Number(us) / Number(HOUR);
  if (us !== 0n && Math.abs(value) < 0.005) return value < 0 ? "> −0.01" : "< 0.01";
  return plain(written(value));
}

export function money(micros, currency) {
  return plain(written(micros / 1e6)) + (currency ? " " + currency : "");
}

// What a share of chip-time costs: micros, and the chips whose price is not known.
export function cost(byChip, prices, part) {
  const unpriced = [];
  let micros = 0;
  for (const { value, sums } of byChip) {
    const us = part(sums);
    if (us === 0n) continue;
    if (prices[value] === undefined) unpriced.push(value ?? "no chip");
    else micros += (Number(us) * prices[value]) / Number(HOUR);
  }
  return { micros, unpriced };
}

// The losses, largest first: [{category, us}, ...].
export function losses(sums, ofJobs) {
  return sums.parts.names.filter((name) => name !== "ideal" && name !== "queued" && !(ofJobs && (name === "idle" || name === "down")))
    .map((category) => ({ category, us: sums.of(category) })).filter(({ us }) => us !== 0n).sort((a, b) => (b.us > a.us) - (b.us < a.us) || (a.category < b.category ? -1 : 1));
}

// What each category's share gained or lost from one period to the other.
export function changes(before, after, ofJobs) {
  const all = (sums) => (ofJobs ? sums.held : sums.capacity);
  if (!before || !after || all(before) === 0n || all(after) === 0n) return null;
  const share = (sums, category) => Number(sums.of(category)) / Number(all(sums));
  const rows = before.parts.names.filter((name) => name !== "queued" && !(ofJobs && (name === "idle" || name === "down"))).map((category) => {
    const [a, b] = [share(before, category), share(after, category)];
    return { category, layer: layerOf(category), before: a, after: b, change: b - a, us: [before.of(category), after.of(category)] };
  }).filter(({ us }) => us[0] !== 0n || us[1] !== 0n);
  return rows.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.category < b.category ? -1 : 1));
}

const named = (value) => (value === null ? "(none)" : value);

// Where most of a category is: the segment's value with the largest part, and the part.
function mostOf(groups, part) {
  const all = groups.reduce((sum, { sums }) => sum + part(sums), 0n);
  const most = groups.reduce((a, b) => (a && part(a.sums) >= part(b.sums) ? a : b), null);
  return most && all > 0n ? { value: most.value, share: Number(part(most.sums)) / Number(all) } : null;
}

// The factor of MPG that changed most, in proportion, where it did by half a point or more.
const LAYERS = { SG: ["scheduling"], RG: ["runtime"], PG: ["program"] };
function movedMost(before, after, ofJobs) {
  const [a, b] = [before, after].map((sums) => ratios(sums, ofJobs));
  const rows = Object.keys(LAYERS).map((name) => ({ name, before: a[name], after: b[name], x: valueOf(a[name]), y: valueOf(b[name]) })).filter(({ x, y }) => x > 0 && y > 0 && Math.abs(y - x) >= 0.005);
  const most = rows.sort((p, q) => Math.abs(Math.log(q.y / q.x)) - Math.abs(Math.log(p.y / p.x)))[0];
  return most ? { ...most, change: most.y - most.x } : null;
}

const doing = { idle: "Idle chips take", down: "Broken chips take", partial: "Gangs that wait for their last member take", inefficiency: "Programs below the roofline take",
  untraced: "Jobs without runtime records take", unrated: "Programs without known FLOPs take" };

// What matters most, and what changed: sentences for a reader who reads no chart.
export function summary(cells, cut) {
  const ofJobs = Cells.isOfJobs(cells.filter), sums = cells.total(), whole = ofJobs ? "of what these jobs held" : "of capacity", said = [];
  const all = ofJobs ? sums.held : sums.capacity, [worst] = losses(sums, ofJobs);
  if (all === 0n) return ["Nothing was held or offered here."];
  if (worst && worst.us > 0n) {
    const pool = cells.filter.pool === undefined ? mostOf(cells.bySegment("pool"), (s) => s.of(worst.category)) : null;
    const where = pool && pool.value !== null && pool.share < 0.9995 ? `, ${fixed(100 * pool.share, 0)}% of it in ${pool.value}` : "";
    said.push(`${doing[worst.category] ?? `${worst.category[0].toUpperCase()}${worst.category.slice(1)} takes`} the most: ${hours(worst.us)} chip-hours, ${percent({ of: worst.us, all })} ${whole}${where}.`);
  }
  const [before, after] = cells.byCut(cut), moved = changes(before, after, ofJobs);
  if (moved) {
    const [a, b] = [before, after].map((s) => ratios(s, ofJobs).MPG), [x, y] = [a, b].map((r) => (r.all === 0n ? null : Number(r.of) / Number(r.all)));
    const unknown = (s) => Number(s.untraced + s.unrated) / Number(ofJobs ? s.held : s.capacity), clouded = Math.abs(unknown(after) - unknown(before));
    const at = cut.slice(0, 16), change = y - x, from = `from ${spoken(a)} to ${spoken(b)} after ${at}`;
    if (valueOf(a) === null && valueOf(b) === null) said.push("MPG is not known, before or after.");
    else if (clouded >= Math.abs(change) && clouded > 0.0005) said.push(`MPG went ${from}, but what has no records changed by ${fixed(100 * clouded, 1)} points: nothing follows from that.`);
    else if (Math.abs(change) < 0.0005) said.push(`MPG stayed at ${spoken(b)} after ${at}.`);
    else said.push(`MPG ${change < 0 ? "fell" : "rose"} ${from}.`);
    const factor = movedMost(before, after, ofJobs);
    if (factor) {
      const [worse, better] = [factor.change < 0, moved.filter(({ category }) => LAYERS[factor.name].includes(layerOf(category)) && (category !== "pending"))];
      const part = better.sort((p, q) => (worse ? q.change - p.change : p.change - q.change))[0];
      said.push(`${factor.name} ${worse ? "fell" : "rose"} most, from ${percent(factor.before)} to ${percent(factor.after)}` +
        (part && (worse ? part.change > 0 : part.change < 0) ? `: “${part.category}” took ${fixed(100 * Math.abs(part.change), 1)} points ${worse ? "more" : "less"} of ${ofJobs ? "what was held" : "capacity"}` : "") + ".");
    }
  }
  if (sums.untraced !== 0n) said.push(`${percent({ of: sums.untraced, all: sums.allocated })} of the allocated time has no runtime records.`);
  if (sums.unrated !== 0n) said.push(`The FLOPs of ${percent({ of: sums.unrated, all: sums.productive })} of the productive time are not known.`);
  if (sums.untraced !== 0n || sums.unrated !== 0n) said.push("Both count as no ideal work in MPG and are left out of the factors, so that the product of these is more.");
  return said;
}

export { named };
