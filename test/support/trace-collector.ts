import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { endOnce } from './cleanup';
import { eventually } from './factories';

/** A span as a collector gets it, its attributes as plain values. */
export interface CollectedSpan {
  name: string;
  kind: 'internal' | 'server' | 'client';
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  isError: boolean;
  attributes: Record<string, unknown>;
  /** Of the process that sent it. */
  resource: Record<string, unknown>;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: OtlpValue[] };
}

interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: OtlpAttribute[];
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

const KINDS = ['internal', 'internal', 'server', 'client'] as const;

/** Takes spans by OTLP over HTTP, as JSON; or answers with an error, or never. */
export class TraceCollector {
  /** How requests are answered: a status, or never. */
  behavior: number | 'never' = 200;
  /** Received bodies. */
  readonly bodies: string[] = [];
  /** The purpose of each request. */
  readonly paths: string[] = [];
  /** Headers of each request. */
  readonly headers: IncomingMessage['headers'][] = [];
  private readonly server = createServer((request, response) => void this.take(request, response));
  /** Drops every connection and frees the port. */
  readonly close = endOnce(async () => {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  });

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    collector.server.listen(0, '127.0.0.1');
    await once(collector.server, 'listening');
    return collector;
  }

  /** The settings of a service that sends its spans here, soon after they have ended. */
  get settings(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    };
  }

  /** All spans so far, in the order in which they ended. */
  get spans(): CollectedSpan[] {
    return this.bodies.flatMap((body) =>
      (JSON.parse(body) as OtlpRequest).resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(span, valuesOf(resource.attributes)))),
      ),
    );
  }

  /** A span, when it has come. */
  async find(span: () => CollectedSpan | undefined): Promise<CollectedSpan> {
    await eventually('the span comes', () => span() !== undefined);
    return span() as CollectedSpan;
  }

  /** The spans of one trace, when the one with that name, which ends last, has come. */
  async trace(traceId: string, last: string): Promise<CollectedSpan[]> {
    const spans = () => this.spans.filter((span) => span.traceId === traceId);
    await eventually(`the span ${last} of ${traceId} comes`, () => spans().some(({ name }) => name === last));
    return spans();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await text(request);
      this.headers.push(request.headers);
      this.paths.push(request.url ?? '');
      this.bodies.push(body);
      if (this.behavior !== 'never')
        response.writeHead(this.behavior, { 'content-type': 'application/json' }).end('{}');
    } catch {
      // The service has been killed meanwhile.
      response.destroy();
    }
  }
}

function collected(
  { name, kind, traceId, spanId, parentSpanId, status, attributes }: OtlpSpan,
  resource: Record<string, unknown>,
): CollectedSpan {
  return {
    name,
    kind: KINDS[kind] ?? 'internal',
    traceId,
    spanId,
    parentSpanId,
    isError: status.code === 2,
    attributes: valuesOf(attributes),
    resource,
  };
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: OtlpValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plain);
  return stringValue ?? doubleValue ?? boolValue ?? Number(intValue);
}

/** Names of the spans of a trace, each under that of its parent. */
export function treeOf(spans: readonly CollectedSpan[]): string[] {
  const nameOf = (id: string | undefined) => spans.find(({ spanId }) => spanId === id)?.name ?? '';
  return spans.map(({ name, parentSpanId }) => `${nameOf(parentSpanId)} > ${name}`).sort();
}

/** The span of a caller, which a trace is continued from. */
export const CALLERS_SPAN = '00f067aa0ba902b7';

/** Headers that continue a trace. */
export function traceparent(traceId: string, flags = '01'): { traceparent: string } {
  return { traceparent: `00-${traceId}-${CALLERS_SPAN}-${flags}` };
}

/** An unused trace id. */
export function newTraceId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
