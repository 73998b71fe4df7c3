import { APIConnectionError, APIError } from 'openai';
import { Stream } from 'openai/streaming';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import type { AnswerProtocol } from './answer.reader';
import { connectionFailed, failureOf, invalidAnswer } from './http.translate';
import type { Completion, CompletionRequest, FinishReason, TokenUsage } from './provider';
import { ProviderError } from './provider.error';

/** Our request in the words of chat completions (platform.openai.com/docs/api-reference/chat/create). */
export function toChatRequest(request: CompletionRequest): ChatCompletionCreateParamsStreaming {
  return {
    model: request.model,
    messages: [{ role: 'user', content: request.prompt }],
    stream: true,
    // Without this the vendor counts nothing in a stream, and the eval could not be priced.
    stream_options: { include_usage: true },
    [request.dialect.maxTokensField]: request.maxTokens,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  };
}

/** Collects a chat completion from its chunks, or takes it whole. */
export class ChatAnswer implements AnswerProtocol<ChatCompletionChunk> {
  private text = '';
  private finish: string | undefined;
  private usage: CompletionUsage | undefined;

  events(response: Response): AsyncIterable<ChatCompletionChunk> {
    return Stream.fromSSEResponse<ChatCompletionChunk>(response, new AbortController());
  }

  add(chunk: ChatCompletionChunk): string {
    if (chunk.usage) this.usage = chunk.usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined) return '';
    if (choice.finish_reason) this.finish = choice.finish_reason;
    const delta = choice.delta?.content ?? '';
    this.text += delta;
    return delta;
  }

  complete(): Completion {
    if (this.finish === undefined) throw invalidAnswer();
    return completionOf(this.text, this.finish, this.usage);
  }

  whole(body: unknown): Completion {
    const { error, choices, usage } = body as Partial<ChatCompletion> & { error?: unknown };
    if (error) throw errorInBody(error);
    const choice = choices?.[0];
    if (choice === undefined) throw invalidAnswer();
    return completionOf(choice.message?.content ?? '', choice.finish_reason, usage);
  }
}

function completionOf(text: string, finish: string, usage: CompletionUsage | undefined): Completion {
  if (finish === 'content_filter') throw new ProviderError('content_refused', { afterFirstByte: true });
  return { text, finishReason: finishReasonOf(finish), usage: usage && usageOf(usage) };
}

function finishReasonOf(finish: string): FinishReason {
  return finish === 'stop' || finish === 'length' ? finish : 'other';
}

/** OpenAI counts cached tokens inside the prompt's and reasoning tokens inside the completion's. */
export function usageOf(usage: CompletionUsage): TokenUsage {
  return {
    inputTokens: usage.prompt_tokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWriteTokens: 0,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

/** Whatever the SDK threw, as one of our failures. */
export function toProviderError(error: unknown, afterFirstByte: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof APIConnectionError) return connectionFailed(afterFirstByte, error);
  if (error instanceof APIError) {
    const kind = [error.type, error.code].filter((word) => typeof word === 'string').join(' ');
    const { status, headers, message } = error as { status?: number; headers?: Headers; message: string };
    return failureOf({ status, headers, kind, message: withoutStatus(message), afterFirstByte, cause: error });
  }
  if (error instanceof SyntaxError) return invalidAnswer(error);
  return connectionFailed(afterFirstByte, error);
}

function errorInBody(error: unknown): ProviderError {
  const { type, code, message } = error as { type?: unknown; code?: unknown; message?: unknown };
  return failureOf({
    status: typeof code === 'number' ? code : undefined,
    headers: undefined,
    kind: [type, code].filter((word) => typeof word === 'string').join(' '),
    message: typeof message === 'string' ? message : undefined,
    afterFirstByte: true,
    cause: error,
  });
}

// The SDK puts the status before the vendor's words.
function withoutStatus(message: string): string {
  return message.replace(/^\d{3} /, '');
}
