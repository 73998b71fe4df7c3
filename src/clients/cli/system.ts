/** A stream that is written to. */
export interface Output {
  isTerminal: boolean;
  /** Its width and height, where it is a terminal. */
  columns: number;
  rows: number;
  write(text: string): void;
}

/** All that the command line knows of the machine it runs on, so that tests can be one. */
export interface System {
  environment: Record<string, string | undefined>;
  out: Output;
  errors: Output;
  /** The folder in which `mcs login` and `mcs admin login` keep address and key. */
  configFolder: string;
  isInputTerminal: boolean;
  /** Everything on standard input. */
  readInput(): Promise<string>;
  /** Its lines as they come. */
  readLines(): AsyncIterable<string>;
  /** One line from the terminal, without showing it; undefined when it was interrupted. */
  askSecretly(question: string): Promise<string | undefined>;
  /** One line from the terminal; undefined when it was interrupted. */
  ask(question: string): Promise<string | undefined>;
  /** False where there is no browser. */
  openBrowser(address: string): Promise<boolean>;
  readFile(path: string): string;
  readBytes(path: string): Uint8Array<ArrayBuffer>;
  writeFile(path: string, text: string): void;
  /** Reads an ordinary file below a folder; a link does not lead out of it. @throws Error */
  readFileBelow(folder: string, path: string): string;
  /** The paths, from the first folder on, of the ordinary files below the second one. @throws Error */
  listFilesBelow(folder: string, path: string): string[];
  /** Writes a file, and its folder if needed. @throws Error with the code EEXIST if the file exists */
  writeNewFile(path: string, text: string): void;
  /** False where there is no such file. */
  removeFile(path: string): boolean;
  /** The file's text and whether others may read it; undefined where there is none. */
  readPrivateFile(path: string): { text: string; isPrivate: boolean } | undefined;
  writePrivateFile(path: string, text: string): void;
  /** Milliseconds of a steady clock. */
  now(): number;
  /** Calls back on every Ctrl C until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): never;
}
