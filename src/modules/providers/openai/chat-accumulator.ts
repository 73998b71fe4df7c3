import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { ChatVendor } from '../chat-vendors';
import { assertObject, errorFromBody, errorFromEvent, invalidResponse } from '../map-provider-error';
import type { Completion, FinishReason } from '../provider';
import { ProviderError } from '../provider.error';
import type { ResponseAccumulator } from '../read-response';
import { reportedCostUsd, convertOpenAiUsage, type ChatUsage } from './convert-openai-usage';

/**
 * A message or a piece of one. Mistral sends content in parts when the model reasons; only text parts are the answer.
 */
interface ChatMessage {
  content?: string | readonly { type: string; text?: string }[] | null;
  refusal?: string | null;
}

/** A chunk with the members that vendors add to it. */
type VendorChunk = Omit<ChatCompletionChunk, 'usage' | 'object'> & {
  /** Mistral sends an error as a separate event. */
  object: string;
  error?: unknown;
  usage?: ChatUsage | null;
  x_groq?: { usage?: ChatUsage; error?: string };
};

/** Collects a chat completion from its chunks, or reads a whole completion. */
export class ChatAccumulator implements ResponseAccumulator<VendorChunk> {
  private text = '';
  private refusal = '';
  private finish: string | undefined;
  private usage: ChatUsage | undefined;
  private responseId: unknown;
  private responseModel: unknown;

  constructor(private readonly vendor: Pick<ChatVendor, 'interruptedFinishReasons'>) {}

  add(chunk: VendorChunk): string {
    throwFailureIn(assertObject(chunk));
    const { x_groq: groq, id, model } = chunk;
    this.responseId ??= id;
    this.responseModel ??= model;
    // Any chunk may carry it; the last one counts, and counts all.
    this.usage = chunk.usage ?? groq?.usage ?? this.usage;
    const choice = firstOf(chunk.choices);
    if (choice === undefined) return '';
    this.finish = choice.finish_reason ?? this.finish;
    return this.take(choice.delta);
  }

  complete(): Completion {
    if (this.finish === undefined || this.vendor.interruptedFinishReasons.includes(this.finish))
      throw invalidResponse();
    if (this.finish === 'content_filter' || (this.text === '' && this.refusal !== '')) {
      throw new ProviderError('content_refused', { afterFirstByte: true, vendorMessage: this.refusal });
    }
    return {
      text: this.text,
      finishReason: finishReasonOf(this.finish),
      usage: this.usage && convertOpenAiUsage(this.usage),
      reportedCostUsd: this.usage && reportedCostUsd(this.usage),
      responseId: this.responseId,
      responseModel: this.responseModel,
    };
  }

  fromBody(body: unknown): Completion {
    const { error, object, choices, usage, id, model } = assertObject(
      body as Partial<Omit<ChatCompletion, 'object'>> & { error?: unknown; object?: string },
    );
    // Google wraps errors in a list, Mistral sends them flat.
    if (error || object === 'error' || Array.isArray(body)) throw errorFromBody(body, choices ?? usage);
    const choice = firstOf(choices);
    if (choice === undefined) throw invalidResponse();
    this.usage = usage ?? undefined;
    this.responseId = id;
    this.responseModel = model;
    this.finish = choice.finish_reason;
    this.take(choice.message);
    return this.complete();
  }

  private take(message: ChatMessage | undefined): string {
    const { content, refusal } = message ?? {};
    this.refusal += refusal ?? '';
    const text =
      typeof content === 'string'
        ? content
        : (content ?? []).map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
    this.text += text;
    return text;
  }
}

/** The choice of index 0. Others are further answers, for which the service did not ask. Some servers send no index. */
function firstOf<Choice extends { index?: number }>(choices: readonly Choice[] | null | undefined): Choice | undefined {
  return choices?.find(({ index = 0 }) => index === 0);
}

function throwFailureIn(chunk: VendorChunk): void {
  if (chunk.error || chunk.object === 'error') throw errorFromEvent(chunk);
  if (chunk.x_groq?.error !== undefined) throw errorFromEvent({ code: chunk.x_groq.error });
}

function finishReasonOf(finish: string): FinishReason {
  if (finish === 'length' || finish === 'model_length') return 'length';
  return finish === 'stop' ? 'stop' : 'other';
}
