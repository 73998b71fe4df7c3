import { shortAmount, toApiJson } from '../client/amount-text';
import type { System } from './system';
import { harmless, harmlessJson, oneLine, painter, wrap, type Paint } from './text';
import { recordLines, tableLines, tabSeparated, type Table } from './table';

/** The one file that writes: results to standard output, progress and errors to standard error. */
export class Terminal {
  /** Colors of standard output. */
  readonly paint: Paint;
  /** True if earlier output can be overwritten. */
  readonly canRedraw: boolean;
  private drawn: string[] = [];

  constructor(
    private readonly system: System,
    hasColors: boolean,
  ) {
    const {
      environment: { NO_COLOR: noColor, TERM: kind },
      out,
    } = system;
    const isSmart = out.isTerminal && kind !== 'dumb';
    this.paint = painter(hasColors && isSmart && (noColor === undefined || noColor === ''));
    this.canRedraw = isSmart;
  }

  /** True if a person reads it, not a program. */
  get isWatched(): boolean {
    return this.system.out.isTerminal;
  }

  get width(): number {
    return this.system.out.columns;
  }

  get height(): number {
    return this.system.out.rows;
  }

  /** Writes lines to standard output. */
  print(...lines: string[]): void {
    this.system.out.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Writes a foreign text: wrapped between words for people, unchanged for programs, and harmless for both. */
  printText(text: string, paint: (line: string) => string = (line) => line): void {
    this.print(...(this.isWatched ? wrap(harmless(text), Math.max(1, this.width - 1)) : [harmless(text)]).map(paint));
  }

  /** Writes sentences, each broken between words for people. */
  printSentences(...sentences: string[]): void {
    for (const sentence of sentences) this.printText(oneLine(sentence));
  }

  /** Writes a file of the service, such as CSV, unchanged except for characters that could harm a terminal. */
  printFile(text: string): void {
    this.system.out.write(this.isWatched ? harmless(text) : text);
  }

  /** Writes a value as the API's JSON, in which nothing can harm a terminal. */
  printJson(value: unknown, indent?: number): void {
    this.print(harmlessJson(toApiJson(value, indent)));
  }

  /** Writes a list: as JSON if that was asked for, otherwise as a table. */
  printList(json: boolean | undefined, list: object, table: Table): void {
    if (json === true) this.printJson(list);
    else this.printTable(table);
  }

  /** For people a table that fits, for programs tab-separated lines. */
  printTable(table: Table): void {
    this.print(...(this.isWatched ? tableLines(table, this.width, this.paint) : tabSeparated(table)));
  }

  /** For people names and values one below the other, for programs tab-separated lines. */
  printRecord(pairs: readonly (readonly [name: string, value: string])[]): void {
    this.print(
      ...(this.isWatched
        ? recordLines(pairs, this.width, this.paint)
        : tabSeparated({ head: ['what', 'value'], lines: pairs, flexible: 1 })),
    );
  }

  /** An amount: short for people, exact for programs. */
  amount(exact: string): string {
    return this.isWatched ? shortAmount(exact) : exact;
  }

  /** A timestamp: its minute for people, all of it for programs. */
  time(timestamp: string): string {
    return this.isWatched ? timestamp.slice(0, 16).replace('T', ' ') : timestamp;
  }

  /** Writes to standard error what is no result. */
  note(line: string): void {
    this.system.errors.write(`${line}\n`);
  }

  /** Writes lines over those drawn before; no line may be wider than the terminal. */
  draw(lines: string[]): void {
    const shown = lines.slice(-Math.max(1, this.height - 1));
    this.system.out.write(`${this.eraser()}${shown.map((line) => `${line}\n`).join('')}`);
    this.drawn = shown;
  }

  /** Removes what was drawn. */
  erase(): void {
    this.system.out.write(this.eraser());
    this.drawn = [];
  }

  /** Up over what was drawn, and everything from there on away. */
  private eraser(): string {
    return this.drawn.length === 0 ? '' : `\u001b[${this.drawn.length}A\u001b[J`;
  }
}
