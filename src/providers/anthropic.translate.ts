import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import type { Message, MessageCreateParamsStreaming, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { connectionFailed, errorFromEvent, mapProviderError, invalidResponse, assertObject } from './map-provider-error';
import { parseErrorBody } from './parse-error-body';
import type { PlainStrings } from './plain-events';
import type { Completion, CompletionRequest, FinishReason, TokenUsage } from './provider';
import { ProviderError } from './provider.error';
import type { ResponseAccumulator } from './read-response';

/** The token counts that a message and its stream events share. */
export interface MessageUsage {
  input_tokens: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  output_tokens: number;
  output_tokens_details?: { thinking_tokens: number } | null;
}

/** The metadata of a message. */
interface Origin {
  id?: unknown;
  model?: unknown;
}

/** Our request as one of the Messages API. The SDK's types follow its newest API version, which has no temperature; older versions take it. */
export function toMessageRequest(request: CompletionRequest): MessageCreateParamsStreaming & { temperature?: number } {
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    messages: [{ role: 'user', content: request.prompt }],
    stream: true,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  };
}

/** Collects a message from its stream events, or reads a whole message. */
export class MessageAccumulator implements ResponseAccumulator<RawMessageStreamEvent> {
  private text = '';
  private stopReason: string | null = null;
  private stopped = false;
  private usage: MessageUsage | null | undefined;
  private origin: Origin | undefined;

  add(event: RawMessageStreamEvent): string {
    assertObject(event);
    switch (event.type) {
      case 'message_start':
        this.usage = event.message.usage;
        this.origin = event.message;
        return '';
      case 'content_block_delta':
        return event.delta.type === 'text_delta' ? this.append(event.delta.text) : '';
      case 'message_delta':
        this.stopReason = event.delta.stop_reason;
        this.usage = merged(this.usage, event.usage);
        return '';
      case 'message_stop':
        this.stopped = true;
        return '';
      default:
        return '';
    }
  }

  plainStrings(event: RawMessageStreamEvent): PlainStrings | undefined {
    return event.type === 'content_block_delta' && event.delta.type === 'text_delta' && typeof event.delta.text === 'string' ? { text: event.delta.text } : undefined;
  }

  addText(text: string): void {
    this.text += text;
  }

  complete(): Completion {
    if (!this.stopped) throw invalidResponse();
    return completionOf(this.text, this.stopReason, this.usage, this.origin);
  }

  fromBody(body: unknown): Completion {
    const { error, content, stop_reason, usage, id, model } = assertObject(body as Partial<Message> & { error?: unknown });
    if (error) throw errorFromEvent(error);
    if (!Array.isArray(content)) throw invalidResponse();
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return completionOf(text, stop_reason ?? null, usage, { id, model });
  }

  private append(text: string): string {
    this.text += text;
    return text;
  }
}

function completionOf(text: string, stopReason: string | null, usage: MessageUsage | null | undefined, origin: Origin | undefined): Completion {
  if (stopReason === 'refusal') throw new ProviderError('content_refused', { afterFirstByte: true });
  return { text, finishReason: finishReasonOf(stopReason), usage: usage ? convertAnthropicUsage(usage) : undefined, responseId: origin?.id, responseModel: origin?.model };
}

function finishReasonOf(stopReason: string | null): FinishReason {
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') return 'length';
  return stopReason === 'end_turn' || stopReason === 'stop_sequence' ? 'stop' : 'other';
}

// The closing event repeats the counts; those it leaves null stay as the opening event gave them.
function merged(first: MessageUsage | null | undefined, last: MessageUsage | null | undefined): MessageUsage | null | undefined {
  if (last === undefined || last === null) return first;
  const counted = Object.fromEntries(Object.entries(last).filter(([, value]) => value !== null && value !== undefined));
  return { ...(first ?? { input_tokens: null, output_tokens: 0 }), ...counted };
}

/** Anthropic counts cache reads and writes beside `input_tokens`, and thinking inside `output_tokens`. Undefined when the input was not counted. */
export function convertAnthropicUsage(usage: MessageUsage): TokenUsage | undefined {
  if (typeof usage.input_tokens !== 'number' || typeof usage.output_tokens !== 'number') return undefined;
  const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    inputTokens: usage.input_tokens + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}

/** Whatever a call threw, as one of our failures: the SDK's errors, the transport's, or our own. */
export function toProviderError(error: unknown, afterFirstByte: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    const { status, headers } = error as { status?: number; headers?: Headers };
    const { codes, message } = parseErrorBody(error.error);
    return mapProviderError({ headers, codes, message, status, afterFirstByte, cause: error });
  }
  return error instanceof SyntaxError ? invalidResponse(error) : connectionFailed(afterFirstByte, error);
}
