import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { assertObject, errorFromBody, invalidResponse } from '../map-provider-error';
import type { Completion, FinishReason } from '../provider';
import { ProviderError } from '../provider.error';
import type { ResponseAccumulator } from '../read-response';
import { convertAnthropicUsage, type MessageUsage } from './convert-anthropic-usage';

interface Origin {
  id?: unknown;
  model?: unknown;
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

  complete(): Completion {
    if (!this.stopped) throw invalidResponse();
    return completionOf(this.text, this.stopReason, this.usage, this.origin);
  }

  fromBody(body: unknown): Completion {
    const { error, content, stop_reason, usage, id, model } = assertObject(
      body as Partial<Message> & { error?: unknown },
    );
    if (error) throw errorFromBody(error, content ?? usage);
    if (!Array.isArray(content)) throw invalidResponse();
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return completionOf(text, stop_reason ?? null, usage, { id, model });
  }

  private append(text: string): string {
    this.text += text;
    return text;
  }
}

function completionOf(
  text: string,
  stopReason: string | null,
  usage: MessageUsage | null | undefined,
  origin: Origin | undefined,
): Completion {
  if (stopReason === 'refusal') throw new ProviderError('content_refused', { afterFirstByte: true });
  return {
    text,
    finishReason: finishReasonOf(stopReason),
    usage: usage ? convertAnthropicUsage(usage) : undefined,
    responseId: origin?.id,
    responseModel: origin?.model,
  };
}

// The closing event repeats the counts; those it leaves null stay as the opening event gave them.
function merged(
  first: MessageUsage | null | undefined,
  last: MessageUsage | null | undefined,
): MessageUsage | null | undefined {
  if (last === undefined || last === null) return first;
  const counted = Object.fromEntries(Object.entries(last).filter(([, value]) => value !== null && value !== undefined));
  return { ...(first ?? { input_tokens: null, output_tokens: 0 }), ...counted };
}

function finishReasonOf(stopReason: string | null): FinishReason {
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') return 'length';
  return stopReason === 'end_turn' || stopReason === 'stop_sequence' ? 'stop' : 'other';
}
