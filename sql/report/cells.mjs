// cells.mjs - the cells of the ledger in the report's page: unpacked, filtered, and added up exactly.
//
// Chip-microseconds are 64-bit whole numbers, whose sums a double does not hold. Each is kept as high * 2^24 + low, two doubles
// that are whole numbers for 2^29 cells and more, and what a group sums to leaves as a BigInt.

export const PLACE = ["pool", "chip"];
export const WHO = ["job", "name", "phase", "framework", "runtime", "model", "size", "team", "owner"];
export const SEGMENTS = ["pool", "chip", "phase", "size", "framework", "runtime", "model", "team", "owner"];
export const FILTERS = [...SEGMENTS, "job"]; // that have a value; since and until bound the time
const BITS = Object.fromEntries([...FILTERS, "name", "time", "nobody"].map((name, i) => [name, 1 << i]));
const ALL_BITS = 0xffff;
const FOLDED = WHO.length; // behind the columns of a `who`: whether it stands for jobs that are not listed one by one
const SCHEDULING = ["down", "idle", "partial"];
const RUNTIME = ["startup", "compile", "restore", "input", "checkpoint", "eval", "stall", "lost", "pending", "unknown"];
// From capacity down to ideal, in the order of the waterfall.
export const CATEGORIES = [...SCHEDULING, ...RUNTIME, "untraced", "unrated", "inefficiency", "ideal", "queued"];

export function layerOf(category) {
  if (SCHEDULING.includes(category)) return "scheduling";
  if (category === "untraced" || category === "unrated") return "no data";
  if (category === "inefficiency") return "program";
  return category === "ideal" || category === "queued" ? category : "runtime";
}

// Which categories the sums of a ratio add up; as the columns of `cells` in SQL.
const PARTS = {
  capacity: (category) => category !== "queued",
  allocated: (category) => category !== "queued" && !SCHEDULING.includes(category),
  held: (category) => !["down", "idle", "queued"].includes(category),
  productive: (category) => ["inefficiency", "unrated", "ideal"].includes(category),
};

// What the cells of a group add up to, by category: each figure a BigInt of chip-microseconds.
export class Sums {
  constructor(parts, high, low) {
    this.parts = parts;
    this.high = high;
    this.low = low;
  }
  #of(places) {
    let high = 0, low = 0;
    for (const place of places) {
      high += this.high[place];
      low += this.low[place];
    }
    return BigInt(high) * 16777216n + BigInt(low);
  }
  of(...categories) { return this.#of(categories.map((category) => this.parts.names.indexOf(category)).filter((place) => place >= 0)); }
  get capacity() { return this.#of(this.parts.capacity); }
  get allocated() { return this.#of(this.parts.allocated); }
  get held() { return this.#of(this.parts.held); }
  get productive() { return this.#of(this.parts.productive); }
  get partial() { return this.of("partial"); }
  get untraced() { return this.of("untraced"); }
  get unrated() { return this.of("unrated"); }
  get ideal() { return this.of("ideal"); }
  get queued() { return this.of("queued"); }
  get lost() { return this.held - this.ideal - this.untraced - this.unrated; }
  plus(other) { return new Sums(this.parts, this.high.map((high, i) => high + other.high[i]), this.low.map((low, i) => low + other.low[i])); }
}

export async function inflate(base64) {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The head of the stream that report_cells.py packed, and its columns.
export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const n = head.cells;
  let at = 4 + length;
  function column() {
    const out = new Int32Array(n);
    for (let i = 0, last = 0; i < n; i++) {
      let code = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        code |= (byte & 127) << shift;
        if (byte < 128) break;
      }
      out[i] = last += code >>> 1 ^ -(code & 1);
    }
    return out;
  }
  const columns = { who: column(), place: column(), what: column(), time: column(), high: new Float64Array(n), low: new Float64Array(n) };
  const plane = (place) => bytes.subarray(at + place * n, at + (place + 1) * n);
  const p = [0, 1, 2, 3, 4, 5, 6, 7].map(plane);
  for (let i = 0; i < n; i++) {
    columns.low[i] = p[0][i] + p[1][i] * 256 + p[2][i] * 65536;
    columns.high[i] = p[3][i] + p[4][i] * 256 + p[5][i] * 65536 + p[6][i] * 16777216 + (p[7][i] << 24 >> 24) * 4294967296;
  }
  return new Cells(head, columns);
}

// The number of each value of a list, in the order in which the values first come.
function numbered(values) {
  const names = [], numbers = new Map();
  const codes = values.map((value) => {
    if (!numbers.has(value)) {
      numbers.set(value, names.length);
      names.push(value);
    }
    return numbers.get(value);
  });
  return { names, codes };
}

// Cells with what each is of: `who`, `place`, `what` and perhaps `time` are numbers of the head's lists. `fails` has a bit for each name
// of a filter that a cell does not fit.
class Table {
  constructor(columns) {
    Object.assign(this, columns);
    this.n = columns.who.length;
    this.fails = new Uint16Array(this.n);
    this.none = new Int32Array(this.n);
    this.codes = {};
  }

  // Of each cell what `codes` has for its who, place, what or time.
  expand(of, codes) {
    const index = this[of], out = new Int32Array(this.n);
    for (let i = 0; i < this.n; i++) out[i] = codes[index[i]];
    return out;
  }

  // Adds up the cells that fail in none of `bounds`. group has a number below `size` for each cell, or a negative one that leaves the
  // cell out; kind one below `kinds` for what is summed apart within a group.
  add(bounds, size, kinds, group, kind) {
    const { high, low, fails, n } = this;
    const highs = new Float64Array(size * kinds), lows = new Float64Array(size * kinds), isThere = new Uint8Array(size);
    for (let i = 0; i < n; i++) {
      if (fails[i] & bounds || group[i] < 0) continue;
      const slot = group[i] * kinds + kind[i];
      highs[slot] += high[i];
      lows[slot] += low[i];
      isThere[group[i]] = 1;
    }
    return { highs, lows, isThere };
  }
}

// Which cells are of the same who, place and what as the one before: the stream has them side by side, in order of time. Returns the
// number of each cell's run, and the first cell of each run.
function runsOf({ who, place, what }) {
  const run = new Int32Array(who.length), first = [];
  for (let i = 0; i < who.length; i++) {
    if (i === 0 || who[i] !== who[i - 1] || place[i] !== place[i - 1] || what[i] !== what[i - 1]) first.push(i);
    run[i] = first.length - 1;
  }
  return { run, first: Int32Array.from(first) };
}

// Two tables: `each` has all cells, for figures over time; `runs` has a row for all of the chosen time, far fewer, for the others.
export class Cells {
  constructor(head, columns) {
    this.head = head;
    this.n = head.cells;
    const { run, first } = runsOf(columns), at = (column) => Int32Array.from(first, (i) => column[i]);
    this.each = new Table({ ...columns, run });
    this.runs = new Table({ who: at(columns.who), place: at(columns.place), what: at(columns.what), high: new Float64Array(first.length), low: new Float64Array(first.length) });
    const names = [...CATEGORIES, ...new Set(head.what.map(([category]) => category).filter((category) => !CATEGORIES.includes(category)))];
    const places = (fits) => names.map((_, i) => i).filter((i) => fits(names[i]));
    this.parts = { names, ...Object.fromEntries(Object.entries(PARTS).map(([part, fits]) => [part, places(fits)])) };
    this.categories = names;
    const categories = head.what.map(([category]) => names.indexOf(category));
    for (const table of [this.each, this.runs]) table.category = table.expand("what", categories);
    this.isJob = Uint8Array.from(head.who, (who) => Number(who[0] !== null || who[FOLDED] === 1));
    this.by = {};
    for (const name of [...PLACE, ...WHO]) {
      const column = PLACE.includes(name) ? PLACE.indexOf(name) : WHO.indexOf(name);
      this.by[name] = { of: PLACE.includes(name) ? "place" : "who", ...numbered(head[PLACE.includes(name) ? "place" : "who"].map((row) => row[column])) };
    }
    this.choose({});
  }

  // What a segment can be: its values, in order of name, null last where it is one.
  valuesOf(segment) {
    const { of, names, codes } = this.by[segment];
    const found = of === "who" ? new Set(codes.filter((_, i) => this.isJob[i]).map((code) => names[code])) : new Set(names);
    return [...found].sort((a, b) => (a === null) - (b === null) || (String(a) < String(b) ? -1 : 1));
  }

  // Whether a filter is of jobs: then what no job held is left out, and ratios are of what jobs held.
  static isOfJobs(filter) {
    return WHO.some((name) => filter[name] !== undefined);
  }

  // filter: {pool: "x", phase: null, since: "2026-01-05 00:00:00", ...}; null is none, what is not there does not bound.
  // Each cell gets a bit for each name that it does not fit: so a figure may leave out what bounds its own segment, by except().
  choose(filter) {
    this.filter = filter;
    this.found = new Map();
    const { head, each, runs } = this;
    const misfits = (names, row) => names.reduce((bits, name, i) => (filter[name] === undefined || row[i] === filter[name] ? bits : bits | BITS[name]), 0);
    const place = Int32Array.from(head.place, (row) => misfits(PLACE, row));
    const who = Int32Array.from(head.who, (row, i) => misfits(WHO, row) | (this.isJob[i] ? 0 : BITS.nobody));
    const time = Int32Array.from(head.times, (at) => ((filter.since !== undefined && at < filter.since) || (filter.until !== undefined && at >= filter.until) ? BITS.time : 0));
    for (const { fails, n, place: atPlace, who: ofWho } of [each, runs]) for (let i = 0; i < n; i++) fails[i] = place[atPlace[i]] | who[ofWho[i]];
    runs.high.fill(0);
    runs.low.fill(0);
    runs.fails.forEach((bits, i) => (runs.fails[i] = bits | BITS.time)); // until a cell of the chosen time is found
    for (let i = 0; i < each.n; i++) {
      each.fails[i] |= time[each.time[i]];
      if (time[each.time[i]]) continue;
      const row = each.run[i];
      runs.high[row] += each.high[i];
      runs.low[row] += each.low[i];
      runs.fails[row] &= ~BITS.time;
    }
    this.inTime = head.times.filter((_, i) => !time[i]);
    this.except([]);
  }

  // From now on these names do not bound what is added up; whoever no name of jobs is left of, has idle and broken chips again.
  except(names) {
    const rest = Object.fromEntries(Object.entries(this.filter).filter(([name]) => !names.includes(name)));
    this.bounds = names.reduce((bits, name) => bits & ~BITS[name], ALL_BITS) & (Cells.isOfJobs(rest) ? ALL_BITS : ~BITS.nobody);
  }

  // The answer of a sum that was asked for before, of the same choice; `make` adds it up.
  once(name, make) {
    const key = `${this.bounds} ${name}`;
    if (!this.found.has(key)) this.found.set(key, make());
    return this.found.get(key);
  }

  // Sums of those groups of a table's chosen cells that have any, by number.
  sumsOf(table, size, group) {
    const kinds = this.categories.length, { highs, lows, isThere } = table.add(this.bounds, size, kinds, group, table.category);
    const found = new Map();
    for (let i = 0; i < size; i++) {
      if (isThere[i]) found.set(i, new Sums(this.parts, highs.subarray(i * kinds, (i + 1) * kinds), lows.subarray(i * kinds, (i + 1) * kinds)));
    }
    return found;
  }

  total() {
    return this.once("total", () => this.sumsOf(this.runs, 1, this.runs.none).get(0) ?? new Sums(this.parts, new Float64Array(this.categories.length), new Float64Array(this.categories.length)));
  }

  // The number of each cell's group in a segment. Segments of jobs are of what jobs held and wanted.
  codesOf(segment) {
    const { of, codes } = this.by[segment];
    return this.runs.codes[segment] ??= this.runs.expand(of, of === "who" ? codes.map((code, i) => (this.isJob[i] ? code : -1)) : codes);
  }

  // [{value, sums}, ...] of a segment.
  bySegment(segment) {
    const { names } = this.by[segment];
    return this.once(segment, () => [...this.sumsOf(this.runs, names.length, this.codesOf(segment))].map(([group, sums]) => ({ value: names[group], sums })));
  }

  // The number of each cell's group in two segments, of what jobs held and wanted.
  codesOfTwo(rows, columns) {
    const { runs } = this;
    return runs.codes[`${rows} ${columns}`] ??= (() => {
      const a = this.codesOf(rows), b = this.codesOf(columns), ofJob = runs.codes.isJob ??= runs.expand("who", this.isJob), wide = this.by[columns].names.length, group = new Int32Array(runs.n);
      for (let i = 0; i < runs.n; i++) group[i] = a[i] < 0 || b[i] < 0 || !ofJob[i] ? -1 : a[i] * wide + b[i];
      return group;
    })();
  }

  // [{row, column, sums}, ...] of two segments.
  byTwo(rows, columns) {
    const wide = this.by[columns].names, tall = this.by[rows].names;
    return [...this.sumsOf(this.runs, tall.length * wide.length, this.codesOfTwo(rows, columns))].map(([group, sums]) => ({ row: tall[Math.floor(group / wide.length)], column: wide[group % wide.length], sums }));
  }

  // The bucket of each cell by `bucketOf`, which makes one of a time, and their names in order.
  codesOfTime(bucketOf) {
    return this.each.codes[bucketOf] ??= (() => {
      const { names, codes } = numbered(this.head.times.map(bucketOf));
      return { names, codes: this.each.expand("time", codes) };
    })();
  }

  // [{bucket, sums}, ...] in order of time. sums is null where nothing is.
  byTime(bucketOf) {
    const { names, codes } = this.codesOfTime(bucketOf), found = this.sumsOf(this.each, names.length, codes), wanted = new Set(this.inTime.map(bucketOf));
    return names.map((bucket, i) => ({ bucket, sums: found.get(i) ?? null })).filter(({ bucket }) => wanted.has(bucket));
  }

  // [before, after] a time.
  byCut(cut) {
    return this.once(`cut ${cut}`, () => {
      const found = this.sumsOf(this.each, 2, this.each.expand("time", this.head.times.map((at) => Number(at >= cut))));
      return [found.get(0) ?? null, found.get(1) ?? null];
    });
  }

  // [{category, cause, us}, ...] of the chosen cells.
  byCause() {
    const { highs, lows, isThere } = this.runs.add(this.bounds, this.head.what.length, 1, this.runs.what, this.runs.none);
    return this.head.what.map(([category, cause], i) => ({ category, cause, us: BigInt(highs[i]) * 16777216n + BigInt(lows[i]) })).filter((_, i) => isThere[i]);
  }

  // [{job, name, ..., sums}, ...] of the jobs that are listed one by one.
  byJob() {
    const { names, codes } = this.by.job, first = new Map();
    this.head.who.forEach((row) => first.has(row[0]) || first.set(row[0], row));
    const listed = this.runs.codes.listed ??= this.runs.expand("who", codes.map((code) => (names[code] === null ? -1 : code)));
    return [...this.sumsOf(this.runs, names.length, listed)].map(([group, sums]) => {
      const row = first.get(names[group]);
      return { ...Object.fromEntries(WHO.map((name, i) => [name, row[i]])), sums };
    });
  }
}
