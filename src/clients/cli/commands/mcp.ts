import { createParser } from 'eventsource-parser';
import { Transport } from '../../client/transport';
import type { Context } from '../context';
import { EXIT, messageOf } from '../exit-codes';

/** The members of a message of JSON-RPC that decide how it is sent. */
interface Message {
  id?: unknown;
  method?: string;
  params?: { name?: string; _meta?: { 'io.modelcontextprotocol/protocolVersion'?: string } };
}

const [PARSE_ERROR, NO_ANSWER] = [-32_700, -32_000];

/** Serves mcs mcp: hands each line of standard input to the service, and prints the answers as lines. */
export async function mcpCommand({ system, terminal, settings: { url, apiKey } }: Context): Promise<number> {
  const transport = new Transport({ baseUrl: url, apiKey, fetch: fetchMessage });
  // Each process counts its messages from the beginning.
  const session = crypto.randomUUID();
  let agreed: string | undefined;
  const fail = (id: unknown, code: number, message: string) =>
    id === undefined
      ? system.errors.write(`mcs: ${message}\n`)
      : terminal.print(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  const send = async (body: Message): Promise<void> => {
    const key = `${session}-${encodeURIComponent(String(body.id)).slice(0, 200)}`;
    const headers = { ...headersOf(body, agreed), 'idempotency-key': key };
    const call = { method: 'POST', path: '/mcp', body, headers, isRepeatable: true } as const;
    for (const answer of await transport.send(call, messagesIn)) {
      if (body.method === 'initialize') agreed = /"protocolVersion":"([\d-]+)"/.exec(answer)?.[1];
      terminal.print(answer);
    }
  };
  const pending: Promise<void>[] = [];
  for await (const line of system.readLines()) {
    const message = parsed(line);
    if (message === undefined) fail(null, PARSE_ERROR, 'The line is not valid JSON.');
    else pending.push(send(message).catch((error: unknown) => fail(message.id, NO_ANSWER, messageOf(error))));
  }
  await Promise.all(pending);
  return EXIT.done;
}

/** Headers of a message: of 2026 if it names its version, else as `initialize` agreed. */
function headersOf({ method = '', params }: Message, agreed: string | undefined): Record<string, string> {
  const accept = 'application/json, text/event-stream';
  const own = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (own === undefined) return { accept, ...(agreed !== undefined && { 'mcp-protocol-version': agreed }) };
  const headers = { accept, 'mcp-protocol-version': own, 'mcp-method': method };
  return { ...headers, ...(params?.name !== undefined && { 'mcp-name': params.name }) };
}

/** Answers a refusal in the protocol like a success: the assistant reads it. */
async function fetchMessage(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const { status, headers } = response;
  const text = status === 202 ? null : await response.text();
  return new Response(text, { status: text?.includes('"jsonrpc"') === true ? 200 : status, headers });
}

/** The messages of an answer: one as JSON, some as events, or none. */
async function messagesIn(response: Response): Promise<string[]> {
  const text = await response.text();
  const events: string[] = [];
  createParser({ onEvent: ({ data }) => events.push(data) }).feed(text);
  return events.length > 0 || text === '' ? events : [text];
}

function parsed(line: string): Message | undefined {
  try {
    return Object(JSON.parse(line)) as Message;
  } catch {
    return undefined;
  }
}
