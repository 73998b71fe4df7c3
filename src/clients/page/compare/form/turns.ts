import { fillTexts } from '../../../../common/fill-texts';
import { TURN_ROLES, type Turn } from '../../../../common/turn';
import type { CompareRequest } from '../../../client/client';
import { factsOf } from '../evaluated';

/** True for a turn, as a browser or a link keeps it. */
export function isTurn(value: unknown): value is Turn {
  const { role, content } = factsOf(value);
  return TURN_ROLES.includes(role as Turn['role']) && typeof content === 'string';
}

/** The turns for the prompt after an answer: the earlier ones and the prompt, both with their input, and the answer. */
export function turnsAfter({ prompt, input, options }: CompareRequest, answer: string): Turn[] {
  const asked = { text: prompt, history: options?.history };
  const { text, history = [] } = input === undefined ? asked : fillTexts(prompt, input, options?.history);
  return [...history, { role: 'user', content: text }, { role: 'assistant', content: answer }];
}
