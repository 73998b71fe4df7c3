import { SpanKind, type Attributes, type SpanOptions } from '@opentelemetry/api';
import {
  GENAI,
  MCS,
  providerName,
  SERVER_ADDRESS,
  SERVER_PORT,
} from '../../platform/observability/semantic-conventions';
import { foreignName } from '../../platform/observability/spans';
import type { Completion, CompletionRequest, Provider, TokenUsage } from './provider';

interface AnsweredAttempt {
  completion: Completion;
  ttftMs: number | null;
}

export function chatSpanOptions(
  { vendor, address }: Provider,
  { model, maxTokens, temperature, isStreamed }: CompletionRequest,
  attempt: number,
): SpanOptions {
  const attributes: Attributes = {
    [GENAI.operation]: 'chat',
    [GENAI.provider]: providerName(vendor),
    [GENAI.requestModel]: model,
    [GENAI.maxTokens]: maxTokens,
    [GENAI.temperature]: temperature,
    [GENAI.stream]: isStreamed,
    [SERVER_ADDRESS]: address?.host,
    [SERVER_PORT]: address?.port,
    [MCS.attempt]: attempt,
  };
  return { kind: SpanKind.CLIENT, attributes };
}

/** The attributes of an answer; a vendor's words only if they have the form of a name. */
export function answerAttributes({
  completion: { finishReason, responseModel, responseId, usage },
  ttftMs,
}: AnsweredAttempt): Attributes {
  return {
    [GENAI.responseModel]: foreignName(responseModel),
    [GENAI.responseId]: foreignName(responseId),
    [GENAI.finishReasons]: [finishReason],
    [GENAI.firstChunk]: ttftMs === null ? undefined : ttftMs / 1000,
    ...(usage !== undefined && usageAttributes(usage)),
  };
}

/** As the vendor counts; it may send anything instead of a number. */
export function usageAttributes(usage: TokenUsage): Attributes {
  const counts = {
    [GENAI.inputTokens]: usage.inputTokens,
    [GENAI.outputTokens]: usage.outputTokens,
    [GENAI.cacheReadTokens]: usage.cachedInputTokens,
    [GENAI.cacheWriteTokens]: usage.cacheWriteTokens,
    [GENAI.reasoningTokens]: usage.reasoningTokens,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count)));
}
