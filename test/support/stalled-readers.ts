import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import catalog from '../../src/modules/models/catalog.json';
import type { Caller } from './factories';
import { slowClient, type SlowClient } from './slow-client';
import { temporaryFolder } from './temporary-folder';

/** A model of more text, three times in a stream, than the kernels on the way put up with. */
const TALKATIVE = { ...catalog.find(({ id }) => id === 'sim-swift'), id: 'sim-talkative', maxOutputTokens: 1_000_000 };

/** A compare whose answer is never read. */
export const LONG_COMPARE = { prompt: '[[sim:length=600000]]', models: [TALKATIVE.id] };

/** The settings that allow it. */
export function longAnswers(): Record<string, string> {
  const file = join(temporaryFolder(), 'models.json');
  writeFileSync(file, JSON.stringify([TALKATIVE]));
  return { SIMULATOR: 'on', MODEL_CATALOG_FILE: file, MAX_OUTPUT_TOKENS: '1000000' };
}

/** Asks for a compare as events and reads none of them. */
export function muteReader(caller: Caller, { prompt, models }: { prompt: string; models: string[] }): SlowClient {
  const body = JSON.stringify({ prompt, models, options: { max_tokens: 1_000_000 } });
  const client = slowClient(
    caller.url,
    [
      'POST /api/v1/compare HTTP/1.1',
      'Host: here',
      `Authorization: Bearer ${caller.key}`,
      'Accept: text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  client.socket.pause();
  return client;
}
