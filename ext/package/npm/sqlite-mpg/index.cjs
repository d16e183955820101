// Where the extension of this machine lies, and how to load it.
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");

function getLoadablePath() {
  const name = `sqlite-mpg-${process.platform}-${process.arch}`;
  let folder;
  try {
    folder = dirname(require.resolve(`${name}/package.json`));
  } catch {
    throw new Error(`sqlite-mpg: no package ${name} is installed: this platform is not supported, or optional dependencies were left out`);
  }
  const path = join(folder, "mpg.so");
  if (!existsSync(path)) throw new Error(`sqlite-mpg: ${path} is missing`);
  return path;
}

// db: a Database of better-sqlite3, node:sqlite (opened with allowExtension) or bun:sqlite.
function load(db) {
  db.loadExtension(getLoadablePath());
}

module.exports = { getLoadablePath, load };
