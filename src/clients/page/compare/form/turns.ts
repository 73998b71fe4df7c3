import type { Turn } from '../../../../common/turn';
import type { CompareRequest } from '../../../client/client';
import { factsOf } from '../evaluated';

/** The most earlier turns of a conversation. */
export const MAX_TURNS = 100;

/** True for a turn, as a browser or a link keeps it. */
export function isTurn(value: unknown): value is Turn {
  const { role, content } = factsOf(value);
  return (role === 'user' || role === 'assistant') && typeof content === 'string';
}

/** The turns for the prompt after an answer: the earlier ones and the prompt, both with their input, and the answer. */
export function turnsAfter({ prompt, input, options }: CompareRequest, answer: string): Turn[] {
  const fill = (text: string): string => (input === undefined ? text : text.replaceAll('{input}', () => input));
  const earlier = options?.history ?? [];
  const isNamed = [...earlier.map(({ content }) => content), prompt].some((text) => text.includes('{input}'));
  return [
    ...earlier.map(({ role, content }) => ({ role, content: fill(content) })),
    { role: 'user', content: isNamed || input === undefined ? fill(prompt) : `${prompt}\n\n${input}` },
    { role: 'assistant', content: answer },
  ];
}
