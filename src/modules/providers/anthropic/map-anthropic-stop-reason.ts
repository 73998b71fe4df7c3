import type { FinishReason } from '../provider';

/** Maps the stop reason of a message. */
export function mapAnthropicStopReason(stopReason: string | null): FinishReason {
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') return 'length';
  return stopReason === 'end_turn' || stopReason === 'stop_sequence' ? 'stop' : 'other';
}
