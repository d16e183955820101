// draw.mjs - the page's charts as text: SVG, for a width in pixels. What can be chosen is a button with a name, for mouse and keyboard.
//
// Names come from traces and are hostile: all of them pass through escape().

import { valueOf, percent, fixed, points, hours, spoken, named } from "./figures.mjs";

export const COLOURS = { capacity: "#7a8794", scheduling: "#d99000", runtime: "#d1495b", program: "#3b8ea5", "no data": "#a9a3b8", ideal: "#3f9c5a", MPG: "#3f9c5a", SG: "#d99000", RG: "#d1495b", PG: "#3b8ea5" };
const MARKS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escape = (value) => String(value).replace(/[&<>"']/g, (mark) => MARKS[mark]);
const LETTER = 7.2; // pixels, of 12-pixel text, on average

// A name in lines of at most so many letters; a very long one ends in "…", and is whole in its title.
function wrap(name, letters) {
  let rest = String(name).length > 4 * letters ? String(name).slice(0, 4 * letters - 1) + "…" : String(name);
  const lines = [];
  while (rest.length > letters) {
    const space = Math.max(...[" ", "-", "/", "_", "."].map((mark) => rest.lastIndexOf(mark, letters - 1)));
    const end = space > letters / 3 ? space + 1 : letters;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...lines, rest];
}

// What is chosen by a click or by Enter: data-pick is what goes into the page's address. Without one it is a mark alone.
function mark(pick, isPicked, name, inside) {
  const button = pick ? ` role="button" tabindex="0" data-pick="${escape(pick)}" aria-pressed="${Boolean(isPicked)}" aria-label="${escape(name)}"` : ' role="img" aria-label="' + escape(name) + '"';
  return `<g class="mark${isPicked ? " picked" : ""}"${button}><title>${escape(name)}</title>${inside}</g>`;
}

function svg(width, height, name, inside) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="${escape(name)}" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">${inside}</svg>`;
}

const rect = (x, y, w, h, colour, more = "") => `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(0, w).toFixed(1)}" height="${h.toFixed(1)}" fill="${colour}" ${more}/>`;
const label = (x, y, text, more = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escape(text)}</text>`;
const line = (x1, y1, x2, y2, more) => `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="currentColor" ${more}/>`;

// Round steps for an axis.
export function ticks(from, to, count) {
  const rough = (to - from) / count || 1, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-6; i++) found.push(i * step);
  return found;
}

// Bars with their names. rows: [{name, text, parts: [{from, to, colour, title}], pick, isPicked, title}]. The axis begins at nothing, always.
function bars(width, name, rows, written, caption) {
  const isNarrow = width < 560, longest = Math.max(0, ...rows.map((row) => row.name.length));
  const left = isNarrow ? 0 : Math.min(230, longest * LETTER + 12), texts = Math.max(0, ...rows.map((row) => row.text.length)) * LETTER + 12;
  const letters = Math.floor(isNarrow ? (width - texts) / LETTER : left / LETTER);
  const ends = rows.flatMap((row) => row.parts.flatMap((part) => [part.from, part.to]));
  const low = Math.min(0, ...ends), high = Math.max(0, ...ends) || 1, right = isNarrow ? 2 : texts;
  const room = width - left - right - (low < 0 && !isNarrow ? texts : 0), start = left + (low < 0 && !isNarrow ? texts : 0);
  const x = (value) => start + ((value - low) / (high - low)) * room;
  let y = 4, inside = "";
  const bottom = rows.reduce((sum, row) => sum + (isNarrow ? 16 * wrap(row.name, letters).length + 18 : Math.max(24, 15 * wrap(row.name, letters).length + 6)), y);
  for (const tick of ticks(low, high, isNarrow ? 4 : 6)) inside += line(x(tick), 2, x(tick), bottom, 'stroke-opacity="0.12"') + label(x(tick), bottom + 14, written(tick), `text-anchor="${isNarrow && x(tick) > width - 20 ? "end" : isNarrow && x(tick) < 15 ? "start" : "middle"}" fill-opacity="0.75"`);
  for (const row of rows) {
    const lines = wrap(row.name, letters), height = isNarrow ? 16 * lines.length + 18 : Math.max(24, 15 * lines.length + 6);
    const top = isNarrow ? y + 16 * lines.length + 1 : y + (height - 16) / 2, thick = isNarrow ? 11 : 16;
    let one = rect(0, y, width, height, "transparent");
    lines.forEach((text, i) => { one += isNarrow ? label(0, y + 12 + 16 * i, text) : label(left - 8, y + height / 2 + 4 + 15 * (i - (lines.length - 1) / 2), text, 'text-anchor="end"'); });
    for (const part of row.parts) {
      const [a, b] = [x(part.from), x(part.to)].sort((p, q) => p - q);
      one += rect(a, top, Math.max(b - a, part.from === part.to ? 0 : 1.5), thick, part.colour, part.opacity ? `fill-opacity="${part.opacity}"` : "");
    }
    const [least, most] = [Math.min(0, ...row.parts.flatMap((p) => [p.from, p.to])), Math.max(...row.parts.flatMap((p) => [p.from, p.to]), low)];
    if (isNarrow) one += label(width, y + 12, row.text, 'text-anchor="end"');
    else if (row.atLeft) one += label(x(least) - 5, top + 12, row.text, 'text-anchor="end"');
    else one += label(x(most) + 5, top + 12, row.text);
    inside += mark(row.pick, row.isPicked, row.title, one);
    y += height;
  }
  inside += line(x(0), 2, x(0), bottom, 'stroke-opacity="0.5"');
  if (caption) inside += label(isNarrow ? 0 : start, bottom + 30, caption, 'fill-opacity="0.75"');
  return svg(width, Math.ceil(bottom + (caption ? 38 : 22)), name, inside);
}

const share = (us, all) => (all === 0n ? 0 : Number(us) / Number(all));
const ofWhole = (value) => fixed(100 * value, 0) + "%";

// From all capacity (of jobs: what they held) down to ideal; each bar begins where the one above it ended.
export function waterfall(width, { steps, all, whole, picked }) {
  const rows = steps.map(({ category, layer, us, from, to }) => {
    const isEnd = layer === "capacity" || category === "ideal", part = percent({ of: us, all });
    return {
      name: category, text: isEnd ? part : us > 0n ? "−" + part : "+" + part.replace("−", ""), parts: [{ from: share(from, all), to: share(to, all), colour: COLOURS[layer] }],
      pick: layer === "capacity" ? "" : `category=${encodeURIComponent(category)}`, isPicked: picked === category,
      title: `${category}: ${hours(us)} chip-hours, ${part} of ${whole}`,
    };
  });
  return bars(width, `From ${whole} down to ideal work`, rows, ofWhole, `share of ${whole}`);
}

// The losses alone, to their own scale. rows: [{category, cause, layer, us, pick, isPicked}]
export function lossBars(width, { rows, all, whole }) {
  return bars(width, "The losses to their own scale", rows.map((row) => ({
    name: row.cause ? `${row.category}: ${row.cause}` : row.category, text: `${hours(row.us)} h`, atLeft: row.us < 0n,
    parts: [{ from: 0, to: Number(row.us) / 3.6e9, colour: COLOURS[row.layer] }], pick: row.pick, isPicked: row.isPicked,
    title: `${row.category}${row.cause ? `, ${row.cause}` : ""}: ${hours(row.us)} chip-hours, ${percent({ of: row.us, all })} of ${whole}`,
  })), compact, "chip-hours");
}

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const compact = (value) => short.format(value).replace("-", "−").replace(/^−0$/, "0");

// Jobs, or another segment, by what they lost; or by one category, where that is chosen.
export function offenders(width, { rows, what }) {
  return bars(width, what, rows.map((row) => {
    let at = 0;
    const parts = row.parts.filter(({ us }) => us !== 0n).map(({ us, layer }) => {
      const next = at + Number(us) / 3.6e9, part = { from: at, to: next, colour: COLOURS[layer] };
      at = next;
      return part;
    });
    return { name: row.name, text: `${hours(row.us)} h`, parts: parts.length ? parts : [{ from: 0, to: 0, colour: "none" }], pick: row.pick, isPicked: row.isPicked,
      title: `${row.name}: ${hours(row.us)} chip-hours${row.parts.length > 1 ? ", of these " + row.parts.map(({ us, layer }) => `${layer} ${hours(us)}`).join(", ") : ""}` };
  }), compact, what);
}

// Points of capacity that each category gained or lost. Ideal work alone is good or bad: of the others a fall is good only where the hours became ideal.
export function changeBars(width, { rows, whole, picked }) {
  return bars(width, `What each category's share of ${whole} gained or lost`, rows.map((row) => ({
    name: row.category, text: points(row.change), atLeft: row.change < 0, parts: [{ from: 0, to: 100 * row.change, colour: COLOURS[row.layer] }],
    pick: `category=${encodeURIComponent(row.category)}`, isPicked: picked === row.category,
    title: `${row.category}: ${fixed(100 * row.before, 2)}% before, ${fixed(100 * row.after, 2)}% after, ${points(row.change)} points`,
  })), (value) => (value > 0 ? "+" : "") + fixed(value, Math.abs(value) < 1 && value !== 0 ? 1 : 0), `points of ${whole}; together they are nothing`);
}

// Ring: before; dot: after.
export function factors(width, { rows }) {
  const left = 50, right = Math.min(170, width * 0.38), x = (value) => left + Math.min(1.05, value) * (width - left - right), height = 30 * rows.length + 24;
  let inside = "";
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) inside += line(x(tick), 2, x(tick), height - 20, 'stroke-opacity="0.12"') + label(x(tick), height - 6, ofWhole(tick), 'text-anchor="middle" fill-opacity="0.75"');
  rows.forEach(({ name, before, after }, i) => {
    const y = 17 + 30 * i, [a, b] = [valueOf(before), valueOf(after)], text = `${percent(before)} → ${percent(after)}`, colour = COLOURS[name];
    let one = label(left - 10, y + 4, name, 'text-anchor="end"');
    if (a !== null && b !== null) one += `<line x1="${x(a).toFixed(1)}" y1="${y}" x2="${x(b).toFixed(1)}" y2="${y}" stroke="${colour}" stroke-width="3"/>`;
    if (a !== null) one += `<circle cx="${x(a).toFixed(1)}" cy="${y}" r="5" fill="none" stroke="${colour}" stroke-width="2"/>`;
    if (b !== null) one += `<circle cx="${x(b).toFixed(1)}" cy="${y}" r="5" fill="${colour}"/>`;
    one += label(Math.min(width - text.length * LETTER, Math.max(a === null ? left : x(a), b === null ? left : x(b)) + 10), y + 4, text);
    inside += mark("", false, `${name}: ${spoken(before)} before, ${spoken(after)} after`, one);
  });
  return svg(width, height, "The factors before and after", inside);
}

// Lines over time, with gaps where nobody knows. lines: [{name, colour, ratios, isDashed, isBold}], all as long as buckets.
export function trend(width, { buckets, lines, target, cut, name }) {
  const left = 44, right = 10, n = buckets.length, keys = [];
  for (const { name: text } of lines) { // a line of keys, or two
    const last = keys[keys.length - 1] ?? { x: left, y: 10, wide: -14 }, wide = 24 + text.length * LETTER, x = last.x + last.wide + 14;
    keys.push(x + wide > width - right && keys.length ? { x: left, y: last.y + 16, wide } : { x, y: last.y, wide });
  }
  const top = keys[keys.length - 1].y + 16, height = 244 + top, bottom = height - 24;
  const values = lines.map((one) => one.ratios.map(valueOf)), known = values.flat().filter((value) => value !== null);
  const most = Math.max(target ?? 0, ...known, 0.01), high = most > 0.5 && most <= 1 ? 1 : most * 1.05, low = Math.min(0, ...known);
  const step = (width - left - right) / Math.max(1, n), x = (i) => left + step * (i + 0.5), y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  let inside = "";
  lines.forEach((one, i) => {
    const { x: at, y: row } = keys[i];
    inside += `<line x1="${at}" y1="${row}" x2="${at + 16}" y2="${row}" stroke="${one.colour}" stroke-width="${one.isBold ? 3 : 2}"${one.isDashed ? ' stroke-dasharray="5 4"' : ""}/>` + label(at + 20, row + 4, one.name);
  });
  for (const tick of ticks(low, high, 5)) inside += line(left, y(tick), width - right, y(tick), 'stroke-opacity="0.12"') + label(left - 6, y(tick) + 4, fixed(100 * tick, high < 0.05 ? 1 : 0) + "%", 'text-anchor="end" fill-opacity="0.75"');
  const wanted = Math.max(1, Math.floor((width - left) / (Math.max(...buckets.map(({ short }) => short.length)) * LETTER + 16))), every = Math.max(1, Math.ceil(n / wanted));
  buckets.forEach((bucket, i) => {
    if (i % every === 0 && x(i) < width - 20) inside += label(x(i), height - 6, bucket.short, `text-anchor="${i === 0 && step < 40 ? "start" : "middle"}" fill-opacity="0.75"`);
  });
  if (target !== undefined) inside += line(left, y(target), width - right, y(target), 'stroke-dasharray="2 3" stroke-opacity="0.7"') + label(width - right, y(target) - 4, `target ${fixed(100 * target, 1)}%`, 'text-anchor="end"');
  if (cut > 0) inside += line(left + step * cut, top - 4, left + step * cut, bottom, 'stroke-dasharray="4 4" stroke-opacity="0.4"');
  lines.forEach((one, k) => {
    let path = "", dots = "", pen = "M";
    values[k].forEach((value, i) => {
      if (value === null) { pen = "M"; return; }
      path += `${pen}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
      if (n <= 100 || (pen === "M" && (values[k][i + 1] ?? null) === null)) dots += `<circle cx="${x(i).toFixed(1)}" cy="${y(value).toFixed(1)}" r="2.2" fill="${one.colour}"/>`;
      pen = "L";
    });
    inside += `<path d="${path}" fill="none" stroke="${one.colour}" stroke-width="${one.isBold ? 3 : 1.5}"${one.isDashed ? ' stroke-dasharray="5 4"' : ""}/>${one.isDashed ? "" : dots}`;
  });
  inside += `<g class="hits">` + buckets.map((bucket, i) => rect(left + step * i, top, step, bottom - top, "transparent", `data-bucket="${i}"`).replace("/>", `><title>${escape(
    `${bucket.title}: ${lines.map((one) => `${one.name} ${spoken(one.ratios[i])}`).join(", ")}`)}</title></rect>`)).join("") + "</g>";
  inside += rect(left, top, 0, bottom - top, "currentColor", 'class="brush" fill-opacity="0.12" pointer-events="none"');
  return svg(width, height, name, inside);
}

function luminance(rgb) {
  const [r, g, b] = rgb.map((part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// The share that a cell has of the largest, as a colour, and black or white, whichever is read better on it: never below 4.5 : 1.
export function shade(value, isLoss) {
  const [from, to] = isLoss ? [[253, 240, 236], [150, 30, 50]] : [[240, 246, 250], [11, 74, 122]];
  const rgb = from.map((part, i) => Math.round(part + (to[i] - part) * Math.max(0, Math.min(1, value))));
  return { fill: `rgb(${rgb.join(",")})`, ink: luminance(rgb) > 0.179 ? "#000" : "#fff" };
}

// Two segments: the ratio in figures and as a shade, the chip-hours beneath. cells: [{row, column, ratio, us, pick, isPicked}]
export function heat(width, { rows, columns, cells, name, isLoss }) {
  const letters = Math.max(8, Math.floor(Math.min(200, width * 0.28) / LETTER)), names = rows.map((row) => wrap(named(row), letters));
  const left = Math.min(200, Math.max(...names.flat().map((text) => text.length)) * LETTER + 12), wide = (width - left) / Math.max(1, columns.length), isNarrow = wide < 66;
  const heads = columns.map((column) => wrap(named(column), Math.max(4, Math.floor(wide / LETTER) - 1))), top = 8 + 15 * Math.max(1, ...heads.map((lines) => lines.length));
  const tall = names.map((lines) => Math.max(42, 15 * lines.length + 8)), most = Math.max(0, ...cells.map(({ ratio }) => valueOf(ratio) ?? 0)) || 1;
  let inside = "", y = top;
  heads.forEach((lines, i) => lines.forEach((text, k) => { inside += label(left + wide * (i + 0.5), 13 + 15 * k, text, 'text-anchor="middle"'); }));
  rows.forEach((row, r) => {
    names[r].forEach((text, k) => { inside += label(left - 8, y + tall[r] / 2 + 4 + 15 * (k - (names[r].length - 1) / 2), text, 'text-anchor="end"'); });
    columns.forEach((column, c) => {
      const cell = cells.find((one) => one.row === row && one.column === column), x = left + wide * c;
      if (!cell) return;
      const value = valueOf(cell.ratio), text = percent(cell.ratio, isNarrow ? 0 : 1);
      const { fill, ink } = value === null ? { fill: "#e3e1e9", ink: "#000" } : shade(value / most, isLoss);
      const size = (text.length * LETTER > wide - 4 ? 10 : 12), words = value === null && wide < 70 ? ["not", "known"] : [text];
      let one = rect(x + 1, y + 1, wide - 2, tall[r] - 2, fill, 'rx="2"');
      words.forEach((word, k) => { one += label(x + wide / 2, y + tall[r] / 2 - (words.length > 1 ? 6 : 2) + 12 * k, word, `text-anchor="middle" fill="${ink}" font-size="${size}"`); });
      one += label(x + wide / 2, y + tall[r] / 2 + (words.length > 1 ? 18 : 13), compact(Number(cell.us) / 3.6e9) + (isNarrow ? "" : " h"), `text-anchor="middle" fill="${ink}" font-size="10"`);
      inside += mark(cell.pick, cell.isPicked, `${named(row)}, ${named(column)}: ${spoken(cell.ratio)}, ${hours(cell.us)} chip-hours held`, one);
    });
    y += tall[r];
  });
  return svg(width, y + 4, name, inside);
}

// A job's attempts over time, a lane for each category: intervals [{start, end, category, us, title}], microseconds; productive ones show ideal work as the filled part.
export function timeline(width, { intervals, lanes, from, to, ticksOf, name }) {
  const isNarrow = width < 560, left = isNarrow ? 0 : Math.max(...lanes.map((lane) => lane.name.length)) * LETTER + 12, right = 8, tall = isNarrow ? 36 : 24;
  const x = (at) => left + ((at - from) / Math.max(1, to - from)) * (width - left - right), bottom = 4 + tall * lanes.length;
  let inside = "";
  for (const { at, text } of ticksOf(Math.max(2, Math.floor((width - left) / 110)))) inside += line(x(at), 2, x(at), bottom, 'stroke-opacity="0.15"') + label(x(at), bottom + 14, text, `text-anchor="${x(at) > width - 45 ? "end" : x(at) < 40 ? "start" : "middle"}" fill-opacity="0.75"`);
  lanes.forEach((lane, i) => {
    const y = 4 + tall * i, top = y + (isNarrow ? 17 : 4);
    let one = rect(0, y, width, tall, "transparent") + (isNarrow ? label(0, y + 13, lane.name) : label(left - 8, y + 16, lane.name, 'text-anchor="end"'));
    for (const part of intervals.filter((interval) => lane.holds(interval))) {
      const a = x(part.start), w = Math.max(1, x(part.end) - a);
      one += rect(a, top, w, 15, COLOURS[lane.layer], lane.layer === "ideal" ? 'fill-opacity="0.3"' : "").replace("/>", `><title>${escape(part.title)}</title></rect>`);
      if (lane.layer === "ideal" && part.share > 0) one += rect(a, top + 15 * (1 - part.share), w, 15 * part.share, COLOURS.ideal, 'pointer-events="none"');
    }
    inside += mark(lane.pick, lane.isPicked, lane.title, one);
  });
  return svg(width, bottom + 22, name, inside);
}
