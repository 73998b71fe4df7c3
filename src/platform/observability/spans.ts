import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { ApiError } from '../../common/errors';
import { redact } from './redaction';
import { ERROR_TYPE, OTHER_ERROR } from './semantic-conventions';
import { version } from '../../common/version';

let known: Tracer | undefined;

/** The tracer of all spans; it records none unless the start has loaded the SDK (bootstrap/start-tracing.ts). */
export function tracer(): Tracer {
  // Created on first use: the SDK is an ES module with a separate instance of the API, and an earlier tracer of this
  // instance would not use it.
  return (known ??= trace.getTracer('model-comparison-service', version));
}

/** The form of ids and names of models, not of sentences, addresses and paths of files. */
const NAME = /^(?![./]|.*:\/\/)[\w.:/@+-]{1,200}$/;

/** The trace members of a log line that is written during a request or a run. */
export function traceFields(): { traceId?: string } {
  const span = trace.getActiveSpan();
  return span === undefined ? {} : { traceId: span.spanContext().traceId };
}

/** Headers that continue the trace of the running code elsewhere; without what a caller has added to it. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(propagation.deleteBaggage(context.active()), headers);
  delete headers['tracestate'];
  return headers;
}

/**
 * Does work as a span of the trace that it belongs to; where there is none, or it is not recorded, the work gets no
 * span.
 */
export function inSpan<Result>(
  name: string,
  work: (span: Span | undefined) => Promise<Result>,
  options?: () => SpanOptions,
): Promise<Result> {
  const parent = trace.getActiveSpan();
  if (parent === undefined || (parent.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return work(undefined);
  return spanned(tracer().startSpan(name, options?.()), context.active(), work);
}

/** Runs work that belongs to no request as the root span of a new trace. */
export function inOwnTrace<Result>(
  name: string,
  work: (span: Span | undefined) => Promise<Result>,
  options?: () => SpanOptions,
): Promise<Result> {
  return spanned(tracer().startSpan(name, options?.(), ROOT_CONTEXT), ROOT_CONTEXT, work);
}

/**
 * A name that a caller or vendor has chosen, as a value for a span: without any secret of ours, and undefined for what
 * is no name.
 */
export function foreignName(text: unknown): string | undefined {
  return typeof text === 'string' && NAME.test(text) ? redact(text) : undefined;
}

async function spanned<Result>(span: Span, parent: Context, work: (span: Span) => Promise<Result>): Promise<Result> {
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    // Never its message, which may quote what a user wrote.
    span.setAttribute(ERROR_TYPE, codeOf(error));
    if (!isRefusal(error)) span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** A refusal is not a failure of the service. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,50}$/.test(code) ? code : OTHER_ERROR;
}
