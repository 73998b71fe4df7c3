import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedAnswer, Finding } from '../../../src/modules/checks/check-type';
import { ChecksRequest } from '../../../src/modules/checks/checks.dto';
import { fillChecks } from '../../../src/modules/checks/fill-checks';
import { decideInline, isInline } from '../../../src/modules/checks/inline-checks';
import { toChecks } from '../../../src/modules/checks/read-checks';
import { doTask } from '../../../src/modules/checks/threaded-checks';
import type { Check, GivenCheck } from '../../../src/modules/checks/types';
import { verdictOf } from '../../../src/modules/checks/verdict';
import { convertExport } from '../../../src/clients/client/import/convert';
import { Money } from '../../../src/common/money';
import { RequestValidationPipe } from '../../../src/platform/http/validation/request-validation.pipe';

/** An assertion, and its verdict on each answer of its group: `p` pass, `f` fail, `e` error. */
interface Case {
  assertion: { type: string };
  promptfoo: string;
  /** Our verdicts, where they differ. */
  ours?: string;
  /** True if the importer does not convert the assertion. */
  isListed?: true;
}

type Answer = string | { text: string; finishReason: string | null; latencyMs: number; cost: number };

interface Recorded {
  variables: Record<string, string>;
  groups: { name: string; answers: Answer[]; cases: Case[] }[];
}

/** Answers that we wrote, with the verdicts of promptfoo. `remake-promptfoo.mjs` makes the verdicts. */
const { variables, groups } = JSON.parse(readFileSync(join(__dirname, 'promptfoo.json'), 'utf8')) as Recorded;

const pipe = new RequestValidationPipe();

/**
 * The check as the service takes it, with the variables of the row filled in. @throws ApiError if the service refuses
 * it
 */
async function acceptedCheck(check: object): Promise<Check> {
  const { checks } = (await pipe.transform(
    { checks: [check], output: '' },
    { type: 'body', metatype: ChecksRequest },
  )) as { checks: GivenCheck[] };
  const [filled] = fillChecks(toChecks(checks), variables);
  if (filled === undefined) throw new Error('There is no check.');
  expect(doTask({ kind: 'try', check: filled })).toEqual({});
  return filled;
}

function ourVerdict(check: Check, answer: Answer): string {
  const checked: CheckedAnswer =
    typeof answer === 'string' ? { text: answer } : { ...answer, cost: Money.fromNumber(answer.cost) };
  const finding = isInline(check, checked.text)
    ? decideInline(check, checked)
    : (doTask({ kind: 'decide', check, text: checked.text }) as Finding);
  return verdictOf(check, finding).outcome.charAt(0);
}

describe.each(groups)('Assertions on recorded answers: $name', ({ name, answers, cases }) => {
  it('give the verdicts of promptfoo, or are named in the report of the import', async () => {
    const tests = cases.map(({ assertion }) => ({ vars: variables, assert: [assertion] }));
    const { rows, unconverted, remarks } = await convertExport(JSON.stringify({ prompts: ['{{city}}'], tests }), {
      name: 'config.json',
      models: ['sim-swift'],
    });
    const isNamed = (notes: typeof remarks, index: number) =>
      notes.some(({ place }) => place === `tests[${index}].assert[0]`);
    const found = await Promise.all(
      cases.map(async ({ assertion, promptfoo }, index): Promise<Case> => {
        const isListed = isNamed(unconverted, index);
        const [given] = rows[index]?.checks ?? [];
        const check =
          given &&
          (await acceptedCheck(given).catch((error) => {
            throw new Error(`${JSON.stringify([assertion, given])}: ${error}`);
          }));
        const verdicts = check && answers.map((answer) => ourVerdict(check, answer)).join('');
        return { assertion, promptfoo, ...(isListed ? { isListed } : verdicts !== promptfoo && { ours: verdicts }) };
      }),
    );
    expect(found).toEqual(cases);
    // The guide names the differences of characters; every other one is in the report.
    if (name !== 'characters')
      expect(found.filter(({ ours }, index) => ours !== undefined && !isNamed(remarks, index))).toEqual([]);
  });
});
