import {
  Client,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Answer, Api, Json } from './api';
import { endAfterTests } from './cleanup';

/** The revisions of the protocol that assistants speak, as modes of the SDK's client. */
export const ERAS = [
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const;

type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode'];

/** A tool's answer, as the SDK's client has checked it. */
export interface ToolAnswer {
  isError: boolean;
  text: string;
  /** The JSON of the API. */
  json: Json;
}

/** An assistant: the SDK's client. */
export class Assistant {
  constructor(readonly client: Client) {}

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const result = await this.client.callTool({ name, arguments: args });
    const [content] = result.content as { text: string }[];
    return { isError: result.isError === true, text: content?.text ?? '', json: result.structuredContent };
  }
}

/** Connects the SDK's client over that transport, by default to POST /mcp with a caller's key. */
export async function assistant(caller: Api, mode: Mode, transport?: Transport): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${caller.key}` };
  await client.connect(
    transport ?? new StreamableHTTPClientTransport(new URL('/mcp', caller.url), { requestInit: { headers } }),
  );
  endAfterTests(() => client.close());
  return new Assistant(client);
}

/** Sends one message of 2025 by hand; the answer's body is the message that comes back. */
export async function send(
  caller: Api,
  message: object | string,
  headers: Record<string, string> = {},
): Promise<Answer<Json>> {
  const accept = 'application/json, text/event-stream';
  const answer = await caller.post('/mcp', message, { headers: { accept, ...headers } });
  const [, event] = /^data: (.+)$/m.exec(answer.text) ?? [];
  return event === undefined ? answer : { ...answer, body: JSON.parse(event) };
}

/** A call of a tool as a message. */
export function toolCall(name: string, args: object, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** The text of the result of such a message. */
export function textIn({ body }: Answer<Json>): string {
  return body.result.content[0].text;
}
