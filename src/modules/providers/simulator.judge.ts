import { createHash } from 'node:crypto';

/** An opinion of one answer: the higher rank wins a pair; of the five steps, 4 and 5 pass. */
interface Opinion {
  rank: number;
  step: number;
}

const FORM = /^You judge answers of language models by a criterion\.\nMark: (?<mark>[0-9a-f]{8})\n/;
const SECTIONS = /^question (?:reference )?answer 1 (?:answer 2 )?end$/;
const DECOY = /^(?:[\p{P}\s]*|(?:thought process|solution):?)$/iu;
const ORDER_TO_JUDGE = /verdict|must (?:win|pass)|ignore (?:the|all) (?:above|previous)/i;
const ORDERED_VERDICT = /verdict[^:\n]{0,40}:\s*(?<verdict>[1-5]|tie|pass|fail)\b/gi;
/** A search for a longer text could take as many steps as both lengths multiplied. */
const MAX_REFERENCE_CHARACTERS = 1000;
const STEPS = [1, 2, 4, 5];
const PAIR = '1 | 2 | tie';

/** The verdict of each kind of question. */
const DECISIONS = new Map<string, (one: Opinion, two: Opinion) => string>([
  [PAIR, (one, two) => (one.rank === two.rank ? 'tie' : one.rank > two.rank ? '1' : '2')],
  ['pass | fail', ({ step }) => (step >= 4 ? 'pass' : 'fail')],
  ['1 | 2 | 3 | 4 | 5', ({ step }) => String(step)],
]);

const OPINIONS = {
  fair: (answer: string, _: number, reference: string): Opinion => {
    const rank = qualityOf(answer.trim(), reference);
    return { rank, step: STEPS[rank] ?? 1 };
  },
  first: (_: string, place: number): Opinion => ({ rank: -place, step: 5 }),
  // 80 characters reach step 4.
  longer: ({ length }: string): Opinion => ({ rank: length, step: Math.min(1 + Math.floor((length * 3) / 80), 5) }),
};

export type SimulatedJudge = keyof typeof OPINIONS | 'obeys';

/** The judge of that name; the fair judge for any other name. */
export function simulatedJudge(name: string | undefined): SimulatedJudge {
  return name === 'first' || name === 'longer' || name === 'obeys' ? name : 'fair';
}

/** The part of a prompt whose triggers act: all of it, but only the head of a judge's prompt. */
export function scriptedPart(prompt: string): string {
  return judgePromptIn(prompt)?.head ?? prompt;
}

/** A sentence and the verdict of a simulated judge; undefined for a prompt that is no judge's. */
export function judgedText(prompt: string, judge: SimulatedJudge): string | undefined {
  const read = judgePromptIn(prompt);
  if (read === undefined) return undefined;
  const { mark, kind, decide, reference, answers } = read;
  const opinionOf = OPINIONS[judge === 'obeys' ? 'fair' : judge];
  const [one = '', two = ''] = answers;
  const verdict =
    (judge === 'obeys' ? orderedVerdict(answers, kind) : undefined) ??
    decide(opinionOf(one, 0, reference), opinionOf(two, 1, reference));
  return `Measured by the criterion, the result is ${verdict}.\nVERDICT ${mark}: ${verdict}`;
}

function judgePromptIn(prompt: string) {
  const mark = FORM.exec(prompt)?.groups?.mark;
  if (mark === undefined) return undefined;
  const [head = '', ...parts] = prompt.split(`\n----- ${mark} `);
  const names = parts.map((part) => part.slice(0, Math.max(part.indexOf(' -----'), 0)));
  const texts = new Map(parts.map((part, index) => [names[index], part.slice(`${names[index]} -----\n`.length)]));
  const kind = kindIn(texts.get('end') ?? '', mark);
  const decide = DECISIONS.get(kind);
  const isComplete = SECTIONS.test(names.join(' ')) && texts.has('answer 2') === (kind === PAIR);
  if (decide === undefined || !isComplete) return undefined;
  const answers = ['answer 1', 'answer 2'].flatMap((name) => texts.get(name) ?? []);
  return {
    mark,
    head,
    kind,
    decide,
    reference: (texts.get('reference') ?? '').trim().slice(0, MAX_REFERENCE_CHARACTERS),
    answers,
  };
}

function kindIn(instructions: string, mark: string): string {
  const question = instructions.trimEnd().split('\n').at(-1) ?? '';
  return question.split(`VERDICT ${mark}: `)[1] ?? '';
}

/** 0 for a decoy, else 1 to 3: by the reference if it is not empty, else by a hash of the text. */
function qualityOf(text: string, reference: string): number {
  if (DECOY.test(text) || ORDER_TO_JUDGE.test(text)) return 0;
  if (reference !== '') return text.toLowerCase().includes(reference.toLowerCase()) ? 2 : 1;
  const draw = createHash('sha256').update(text).digest().readUInt32BE(0) % 20;
  return [6, 13].filter((least) => draw >= least).length + 1;
}

function orderedVerdict(answers: string[], kind: string): string | undefined {
  const orders = answers.flatMap((answer) => [...answer.matchAll(ORDERED_VERDICT)]);
  return orders
    .map(({ groups }) => groups?.verdict?.toLowerCase() ?? '')
    .find((order) => kind.split(' | ').includes(order));
}
