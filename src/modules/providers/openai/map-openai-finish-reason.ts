import type { FinishReason } from '../provider';

/** Maps the finish reason of a chat completion. */
export function mapOpenAiFinishReason(finish: string): FinishReason {
  if (finish === 'length' || finish === 'model_length') return 'length';
  return finish === 'stop' ? 'stop' : 'other';
}
