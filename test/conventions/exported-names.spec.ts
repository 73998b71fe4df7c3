import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const DECLARATION =
  /^export (?:abstract |async )?(?:function\*?|class|const|let|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

/** The programs of src/: each is built alone, and imports nothing of another but the client. */
const PROGRAMS = {
  service: ['src/**/*.ts', /^src\/clients\//],
  'command line': ['src/clients/{client,cli}/**/*.ts', /\.gen\.ts$/],
  page: ['src/clients/{client,page}/**/*.{ts,tsx}', /\.gen\.ts$/],
} as const;

/** Names that two files of one program export, and why. */
const TWICE: Readonly<Record<string, string>> = {
  // Components that the page loads when they are needed.
  CheckEditor: 'the component, and its lazily loaded form',
  EarlierEval: 'the component, and its lazily loaded form',
  EvaluationSummary: 'the component, and its lazily loaded form',
  RerunDialog: 'the component, and its lazily loaded form',
  SampleSwitch: 'the component, and its lazily loaded form',
  ShareDialog: 'the component, and its lazily loaded form',
  Verdicts: 'the component, and its lazily loaded form',
  Agreement: 'the component, its lazily loaded form, and the answer that it shows',
  Drift: 'the component, its lazily loaded form, and the answer that it shows',
  Help: 'the component, and its lazily loaded form',
  ChoiceFoot: 'the component, and its lazily loaded form',
  CodeDialog: 'the component, and its lazily loaded form',
  DifferenceBar: 'the component, and its lazily loaded form',
  EvalScreen: 'the component, and its lazily loaded form',
  ExampleRun: 'the component, and its lazily loaded form',
  ExperimentListScreen: 'the component, and its lazily loaded form',
  ExperimentScreen: 'the component, and its lazily loaded form',
  HistoryScreen: 'the component, and its lazily loaded form',
  KeyboardList: 'the component, and its lazily loaded form',
  NewExperimentScreen: 'the component, and its lazily loaded form',
  SharedScreen: 'the component, and its lazily loaded form',
  SharedVoteScreen: 'the component, and its lazily loaded form',
  TurnEditor: 'the component, and its lazily loaded form',
  UsageScreen: 'the component, and its lazily loaded form',
  VoteScreen: 'the component, and its lazily loaded form',
  run: 'the entry of a worker thread, by which Piscina calls it',
};

/** The files that export each name. */
function filesByName(pattern: string, excluded: RegExp): Map<string, string[]> {
  const files = globSync(pattern, { cwd: ROOT })
    .filter((file) => !excluded.test(file) && !/\.spec\.tsx?$/.test(file))
    .sort();
  const byName = new Map<string, string[]>();
  for (const file of files) {
    for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(DECLARATION))
      byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  return byName;
}

describe('The exported names of src/', () => {
  const twice = Object.entries(PROGRAMS).flatMap(([program, [pattern, excluded]]) => {
    const names = filesByName(pattern, excluded);
    expect(names.size).toBeGreaterThan(50);
    return [...names]
      .filter(([, files]) => files.length > 1)
      .map(([name, files]) => `${program}: ${name} in ${files.join(', ')}`);
  });

  it('have one meaning in each program; a name is exported twice only with a reason', () => {
    expect(twice.filter((line) => !Object.keys(TWICE).some((name) => line.includes(`: ${name} in `)))).toEqual([]);
  });

  it('have no reason listed that is no longer needed', () => {
    expect(Object.keys(TWICE).filter((name) => !twice.some((line) => line.includes(`: ${name} in `)))).toEqual([]);
  });
});
