// view.mjs - what is chosen, with what all figures share of it: the sums, the buckets of time, what is measured in place of all losses.

import { Cells, SEGMENTS } from "./cells.mjs";
import { statement, measured } from "./statements.mjs";
import { filterOf, without } from "./state.mjs";

// One drawing's worth of what is chosen: everything that the figures share.
export class View {
  constructor(cells, state) {
    const { head } = cells;
    Object.assign(this, { cells, state, head, filter: filterOf(state) });
    cells.choose(this.filter);
    this.ofJobs = Cells.isOfJobs(this.filter);
    this.whole = this.ofJobs ? "what these jobs held" : "capacity";
    this.sums = cells.total();
    this.all = this.ofJobs ? this.sums.held : this.sums.capacity;
    this.segment = SEGMENTS.includes(state.by) ? state.by : head.by;
    const segments = [...SEGMENTS, "job"];
    this.rows = segments.includes(state.rows) ? state.rows : head.rows;
    this.columns = segments.includes(state.columns) ? state.columns : head.columns;
    this.top = Math.max(1, Math.min(1000, Number(state.top) || head.top));
    this.measure = state.category === undefined ? null : { category: state.category, cause: state.cause };
    this.measureName = this.measure ? state.category + (state.cause ? `: ${state.cause}` : "") : "";
    const { inTime } = cells, days = inTime.length / (head.grain === "hour" ? 24 : 1);
    this.bucket = head.width ?? (head.grain === "hour" && days <= 4 ? "hour" : days <= 366 ? "day" : "week");
    if (this.bucket === "hour" && head.grain === "day") this.bucket = "day";
    const cut = head.times.find((at) => at >= head.cut);
    this.cut = cut > inTime[0] && cut <= inTime[inTime.length - 1] ? cut : inTime[Math.floor(inTime.length / 2)] ?? "";
  }
  sql(name, more = {}) {
    const { filter, segment, rows, columns, bucket, cut, top, measure } = this;
    return statement(name, { filter, within: this.head.within, segment, rows, columns, bucket, cut, top, measure: measure && measured(measure), ...more });
  }
}

// The start of the week (ISO) that a day is in, and the week's name as SQL's column `week` has it.
function week(at) {
  const day = new Date(at.slice(0, 10) + "T00:00:00Z"), thursday = new Date(day.getTime() + (3 - ((day.getUTCDay() + 6) % 7)) * 864e5);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return `${thursday.getUTCFullYear()}-W${String(Math.floor((thursday.getTime() - first) / 6048e5) + 1).padStart(2, "0")}`;
}
export const BUCKETS = { hour: (at) => at, day: (at) => at.slice(0, 10) + " 00:00:00", week, month: (at) => at.slice(0, 7) };
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const dayName = (at) => `${MONTHS[Number(at.slice(5, 7)) - 1] ?? at.slice(5, 7)} ${Number(at.slice(8, 10))}`;

export function bucketsOf(view) {
  const { cells, bucket } = view, bucketOf = BUCKETS[bucket], { times } = view.head;
  const found = cells.byTime(bucketOf), starts = new Map();
  times.forEach((at, i) => {
    const name = bucketOf(at);
    if (!starts.has(name)) starts.set(name, { first: i, last: i });
    starts.get(name).last = i;
  });
  return found.map(({ bucket: name, sums }, i) => {
    const { first, last } = starts.get(name), at = name.slice(0, 16);
    const short = bucket === "hour" ? (i === 0 || at.endsWith("00:00") ? dayName(at) : at.slice(11)) : bucket === "day" ? dayName(at) : name;
    return { name, sums, short, title: bucket === "hour" ? at : bucket === "day" ? at.slice(0, 10) : name, since: times[first], until: times[last + 1] };
  });
}

// The state in which buckets a to b are chosen.
export function stretch(view, buckets, a, b) {
  const next = without(view.state, ["since", "until"]), { since } = buckets[Math.min(a, b)], until = buckets[Math.max(a, b)].until ?? view.state.until;
  return { ...next, since, ...(until === undefined ? {} : { until }) };
}

// {value: chip-microseconds} of what is measured, by the codes of a group; a table of the cells has the codes.
export function measuredBy(view, codes, names, table = view.cells.runs) {
  const { cells, measure } = view, fits = cells.head.what.map(([category, cause]) => Number(category === measure.category && (measure.cause === undefined || cause === measure.cause)));
  const { highs, lows, isThere } = table.add(cells.bounds, names.length, 2, codes, table.expand("what", fits));
  return new Map(names.map((name, i) => [name, isThere[i] ? BigInt(highs[2 * i + 1]) * 16777216n + BigInt(lows[2 * i + 1]) : 0n]));
}
