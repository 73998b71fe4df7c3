export interface Trigger {
  target: string;
  action: TriggerAction;
  value: string | undefined;
  start: number;
  end: number;
}

export type TriggerAction =
  | 'slow'
  | 'fail'
  | 'cut'
  | 'length'
  | 'refusal'
  | 'pace'
  | 'echo'
  | 'say'
  | 'vary'
  | 'think'
  | 'judge'
  | 'answered-by'
  | 'stated-cost';

const TRIGGER =
  /\[\[(?<target>[a-z0-9-]+):(?:(?<action>slow|fail|cut|length|refusal|pace|echo|vary|think|judge|(?:answered-by|stated-cost)(?==))(?:=(?<value>[a-z0-9_]+|(?<=(?:answered-by|stated-cost)=)[\w.:/@+-]{1,200}))?\]\]|say=)/g;
const END = ']]';

/**
 * The documented triggers of a prompt, in order: `[[target:action]]`, `[[target:action=value]]`, and `[[target:say=…]]`
 * with any text up to `]]`. Anything else is plain text.
 */
export function* triggersIn(prompt: string): Generator<Trigger> {
  // The text of `say` is searched for by hand: as a pattern, each `[[sim:say=` without an end would read the rest of
  // the prompt again.
  const pattern = new RegExp(TRIGGER);
  const lastEnd = prompt.lastIndexOf(END);
  for (let match = pattern.exec(prompt); match !== null; match = pattern.exec(prompt)) {
    const { target = '', action, value } = match.groups ?? {};
    if (action !== undefined) {
      yield { target, action: action as TriggerAction, value, start: match.index, end: pattern.lastIndex };
    } else if (pattern.lastIndex <= lastEnd) {
      const from = pattern.lastIndex;
      const to = prompt.indexOf(END, from);
      pattern.lastIndex = to + END.length;
      yield { target, action: 'say', value: prompt.slice(from, to), start: match.index, end: pattern.lastIndex };
    }
  }
}

/** A prompt without the triggers that address simulated models, and without white space around it. */
export function withoutTriggers(prompt: string): string {
  let text = '';
  let from = 0;
  for (const { target, start, end } of triggersIn(prompt)) {
    if (!/^sim(?:-|$)/.test(target)) continue;
    text += prompt.slice(from, start);
    from = end;
  }
  return (text + prompt.slice(from)).trim();
}
