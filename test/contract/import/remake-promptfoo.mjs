// Remakes promptfoo.json: promptfoo itself judges the recorded answers again. Add cases without `promptfoo`, and
// answers, by hand.
// Install promptfoo in another folder; it is no dependency of this project. Then run this with the Node that it asks
// for:
//   PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 node test/contract/import/remake-promptfoo.mjs
// FOLDER/node_modules/promptfoo
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const file = join(import.meta.dirname, 'promptfoo.json');
const folder = resolve(process.argv[2]);
const { assertions } = (await import(join(folder, 'dist/src/index.js'))).default;
const { variables, groups } = JSON.parse(readFileSync(file, 'utf8'));

/** `p` pass, `f` fail, `e` if the assertion itself is wrong. */
async function verdictOf(assertion, answer) {
  const { text: output, latencyMs, ...measured } = typeof answer === 'string' ? { text: answer } : answer;
  const verdict = assertions.runAssertion({
    assertion,
    test: { vars: variables },
    latencyMs,
    providerResponse: { output, ...measured },
  });
  return await verdict.then(
    ({ pass }) => (pass ? 'p' : 'f'),
    () => 'e',
  );
}

for (const { answers, cases } of groups) {
  for (const one of cases)
    one.promptfoo = (await Promise.all(answers.map((answer) => verdictOf(one.assertion, answer)))).join('');
}
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
// Escapes invisible characters and combining marks.
const textOf = (value) =>
  JSON.stringify(value).replace(
    /[\u007f-\u00a0\p{M}\p{Cf}\u2000-\u206f]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const listOf = (values) => `[\n${values.map((value) => `  ${textOf(value)}`).join(',\n')}\n]`;
const shown = groups.map(
  ({ name, answers, cases }) =>
    `{"name": ${JSON.stringify(name)}, "answers": ${listOf(answers)}, "cases": ${listOf(cases)}}`,
);
writeFileSync(
  file,
  `{"version": "${version}", "variables": ${JSON.stringify(variables)}, "groups": [\n${shown.join(',\n')}\n]}\n`,
);
process.exit(0);
