// driver.mjs - answers queries.sql through node:sqlite, better-sqlite3 or bun:sqlite, as the third argument says:
// node driver.mjs EXTENSION QUERIES node:sqlite; see docs/clients.md.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [extension, path, library] = process.argv.slice(2);

// Integers are BigInt: a Number holds none above 2^53, and node:sqlite refuses to give one.
const open = {
  'node:sqlite': async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(':memory:', { allowExtension: true });
    return {
      load: (file) => db.loadExtension(file),
      answer(query, values) {
        const statement = db.prepare(query);
        statement.setReadBigInts(true);
        statement.setReturnArrays(true);
        return { columns: statement.columns().map((c) => c.name), rows: statement.all(...values) };
      },
    };
  },
  'better-sqlite3': async () => {
    const Database = createRequire(resolve('build/clients/better-sqlite3/package.json'))('better-sqlite3');
    const db = new Database(':memory:').defaultSafeIntegers(true);
    return {
      load: (file) => db.loadExtension(file),
      answer(query, values) {
        const statement = db.prepare(query).raw(true);
        // ?1 is a parameter of the name 1 here.
        const named = Object.fromEntries(values.map((value, i) => [i + 1, value]));
        return { columns: statement.columns().map((c) => c.name), rows: statement.all(named) };
      },
    };
  },
  'bun:sqlite': async () => {
    const { Database } = await import('bun:sqlite');
    const db = new Database(':memory:', { safeIntegers: true });
    return {
      load: (file) => db.loadExtension(file),
      answer(query, values) {
        const statement = db.query(query);
        return { columns: statement.columnNames, rows: statement.values(...values) };
      },
    };
  },
};

function plain(value) {
  if (value instanceof Uint8Array) return `{"blob": "${Buffer.from(value).toString('hex')}"}`;
  if (value === Infinity || value === -Infinity) return `${value < 0 ? '-' : ''}1e999`;
  if (Number.isInteger(value)) return value.toFixed(1);
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

const db = await open[library]();
db.load(extension);
let last = [];
for (const text of readFileSync(path, 'utf8').split('\n-- ').slice(1)) {
  const name = text.slice(0, text.indexOf('\n'));
  const query = text.slice(name.length + 1);
  try {
    const { columns, rows } = db.answer(query, query.includes('?1') ? last : []);
    if (rows.length) last = rows.at(-1);
    const shown = rows.map((row) => `[${row.map(plain).join(', ')}]`).join(', ');
    console.log(`{"name": ${JSON.stringify(name)}, "columns": ${JSON.stringify(columns)}, "rows": [${shown}]}`);
  } catch (error) {
    console.log(JSON.stringify({ name, error: error.message }));
  }
}
