import { StringDecoder } from 'node:string_decoder';

/** One server-sent event; the name is empty where the server gave none. */
export interface ServerSentEvent {
  name: string;
  data: string;
}

/**
 * Decodes server-sent events from bytes that are split anywhere, within a character or a line end too
 * (html.spec.whatwg.org/multipage/server-sent-events.html). Ids and retry times have no use here and are left out.
 */
export class SseDecoder {
  private readonly utf8 = new StringDecoder('utf8');
  private isFirst = true;
  private endedInReturn = false;
  private line = '';
  private name = '';
  private data: string | undefined;

  /** The events that these bytes complete; an event without its final empty line is never returned. */
  decode(bytes: Buffer): ServerSentEvent[] {
    const text = this.withPlainLineEnds(this.utf8.write(bytes));
    const events: ServerSentEvent[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.take(this.line + text.slice(from, end), events);
      this.line = '';
      from = end + 1;
    }
    this.line += text.slice(from);
    return events;
  }

  private withPlainLineEnds(text: string): string {
    if (text === '') return text;
    let plain = this.isFirst && text.startsWith('\uFEFF') ? text.slice(1) : text;
    this.isFirst = false;
    if (this.endedInReturn && plain.startsWith('\n')) plain = plain.slice(1);
    this.endedInReturn = text.endsWith('\r');
    return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain;
  }

  private take(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (this.data !== undefined) events.push({ name: this.name, data: this.data });
      this.name = '';
      this.data = undefined;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    else if (field === 'event') this.name = value;
  }
}
