/** Path of the loadable extension for this platform. Throws where there is none. */
export declare function getLoadablePath(): string;

interface Db {
  loadExtension(path: string): void;
}

/** Loads the extension into an open database. */
export declare function load(db: Db): void;
