import { createParser } from 'eventsource-parser';
import { parseJson, type MoneyFormat } from './amounts';
import { ConnectionError } from './errors';

/** A stream says something at least every 10 seconds. */
const MAX_SILENCE_MS = 45_000;

/** Of a stream: its number, its name and its data, read as JSON. */
export interface StreamEvent {
  id: string;
  event: string;
  data: unknown;
}

/**
 * The server-sent events of a body, as they come. @throws ConnectionError connection_lost when it breaks, stays silent
 * or is not JSON
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  money: MoneyFormat,
): AsyncGenerator<StreamEvent, void, undefined> {
  const ready: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ id = '', event, data }) => {
      if (event !== undefined) ready.push({ id, event, data: parseJson(data, money) });
    },
  });
  const utf8 = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let chunk = await readInTime(reader); !chunk.done; chunk = await readInTime(reader)) {
      parser.feed(utf8.decode(chunk.value, { stream: true }));
      yield* ready.splice(0);
    }
  } catch (cause) {
    throw new ConnectionError('The connection broke before the end of the run.', { code: 'connection_lost', cause });
  } finally {
    // A caller that stops reading early closes the connection; an error of the body is ignored then.
    reader.cancel().catch(() => undefined);
  }
}

async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>): ReturnType<typeof reader.read> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The stream was silent for ${MAX_SILENCE_MS / 1000} seconds.`)),
      MAX_SILENCE_MS,
    );
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}
