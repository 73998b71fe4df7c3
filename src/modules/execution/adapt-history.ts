import type { Turn } from '../../common/turn';
import type { ResultWarning } from '../evals/result.entity';
import type { Vendor } from '../providers/provider';
import type { FilledPrompt } from './prompt';

/** Vendors that refuse two turns of one role in a row, or a conversation that the assistant begins. */
const STRICT: ReadonlySet<Vendor> = new Set(['anthropic', 'deepseek', 'gemini', 'local', 'mistral', 'openrouter']);
const OPENING: Turn = { role: 'user', content: '(The assistant begins.)' };

/** The texts with turns that the vendor accepts, the prompt being the last one. Each change adds a warning. */
export function adaptHistory(filled: FilledPrompt, vendor: Vendor): FilledPrompt {
  const { history, text } = filled;
  if (history === undefined || !STRICT.has(vendor)) return filled;
  const asked: Turn[] = [...history, { role: 'user', content: text }];
  const opened = asked[0]?.role === 'assistant' ? [OPENING, ...asked] : asked;
  const adapted = joined(opened);
  const changes = [
    ...(opened === asked ? [] : [`a turn of the user first; ${OPENING.content} was sent`]),
    ...(adapted.length === opened.length ? [] : ['alternating turns; those of one role in a row were joined']),
  ];
  return {
    text: adapted.at(-1)?.content ?? text,
    history: adapted.slice(0, -1),
    warnings: [...filled.warnings, ...changes.map(warningOf)],
  };
}

function warningOf(need: string): ResultWarning {
  return { code: 'history_adapted', message: `This model needs ${need}.` };
}

function joined(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last?.role === turn.role) all.splice(-1, 1, { ...last, content: `${last.content}\n\n${turn.content}` });
    else all.push(turn);
  }
  return all;
}
