import type { Command } from 'commander';
import type { ChangeOptions } from './commands/experiments';
import type { ImportCommandOptions } from './commands/import';
import { asked, collected, common, context, json, type End, type Runner } from './options';
import type { System } from './system';

const datasetsCommands = () => import('./commands/datasets.js');
const experimentsCommands = () => import('./commands/experiments.js');

/** Adds the commands of data sets and experiments. */
export function addExperiments(program: Command, run: Runner, system: System, end: End): void {
  program
    .command('import <file>')
    .description(
      'convert a configuration of promptfoo or an export of OpenAI Evals into a dataset and experiments; sends nothing',
    )
    .option('-o, --output <folder>', 'the folder of the new files', '.')
    .option(
      '-m, --models <ids>',
      'models to take instead of those of the file, separated by commas; may be repeated',
      collected,
    )
    .option('--judge <model>', 'the judge of its rubrics, instead of the one of the file')
    .option('--skip-unconverted', 'write the rest if parts are not converted')
    .action(async (file: string, options: ImportCommandOptions) =>
      end(await (await import('./commands/import.js')).importCommand(system, file, options)),
    );
  addDatasets(program, run);
  const experiment = addExperiment(program, run);
  const changed = (words: string, description: string) => json(experiment.command(words)).description(description);
  const change = (name: 'pause' | 'resume' | 'cancel' | 'retry') => async (id: string, options: ChangeOptions) =>
    end(await (await experimentsCommands()).changeCommand(await context(system, options), id, name, options));
  changed('pause <id>', 'begin no further row; rows that run end and are charged').action(change('pause'));
  changed('resume <id>', 'go on with a paused experiment')
    .option('--max-cost <usd>', 'a new cap; required after the cap was reached')
    .action(change('resume'));
  changed('cancel <id>', 'end an experiment for good; rows that run end and are charged').action(change('cancel'));
  changed('retry <id>', 'run rows again in which no model answered')
    .option('--missing', 'also ask the models that gave no answer in other rows')
    .option('--max-cost <usd>', 'a new cap')
    .action(change('retry'));
  json(program.command('decide <id> <model>'))
    .description('keep the decision after an experiment: a model of it, or none')
    .option('--reason <text>', 'the reason, at most 2,000 characters')
    .option('--tolerance <points>', 'the loss that was accepted, in points; 2 by default')
    .action(run(experimentsCommands, 'decideCommand'));
  common(program.command('report <id>'))
    .description('print what an experiment found, in Markdown')
    .option('--rows <n>', 'rows in which models differ that are shown at most', '10')
    .option('--no-texts', 'leave out prompt, rows, answers, options and reason')
    .option('--tolerance <points>', 'the loss that counts as not worse, in points; 2 by default')
    .action(run(experimentsCommands, 'reportCommand'));
  json(program.command('experiments'))
    .description('list experiments, newest first')
    .option('-n, --number <n>', 'maximum number of experiments', '20')
    .action(run(experimentsCommands, 'experimentsCommand'));
  json(program.command('comparison <id> <against>'))
    .description('show what changed in an experiment against an earlier one, row by row')
    .action(run(experimentsCommands, 'comparisonCommand'));
}

function addDatasets(program: Command, run: Runner): void {
  const datasets = json(program.command('datasets'))
    .description('list data sets, newest first')
    .option('-n, --number <n>', 'maximum number of data sets', '20')
    .action(run(datasetsCommands, 'datasetsCommand'));
  json(datasets.command('push <file>'))
    .description('store the rows of a file as a data set; - reads standard input')
    .option('--name <name>', 'its name; by default the name of the file')
    .option('--format <jsonl|csv|json>', 'the format; by default by the extension of the file, or else jsonl')
    .option('--input <column>', 'column or member with the input')
    .option('--expected <column>', 'column or member with the expected answer')
    .option('--group <column>', 'column or member with the group')
    .option('--id <column>', 'column or member with the row id')
    .option('--skip <column>', 'column or member to leave out; may be repeated', collected)
    .action(run(datasetsCommands, 'pushDatasetCommand'));
  json(datasets.command('rows <id>'))
    .description('show the rows of a data set in the order in which experiments take them')
    .option('-n, --number <n>', 'maximum number of rows', '20')
    .action(run(datasetsCommands, 'datasetRowsCommand'));
  common(datasets.command('rm <id>'))
    .description('delete a data set for good')
    .action(run(datasetsCommands, 'removeDatasetCommand'));
}

function addExperiment(program: Command, run: Runner): Command {
  const experiment = gated(json(program.command('experiment')))
    .description('show an experiment, or start and change one')
    .argument('<id>', 'the id of the experiment')
    .option('--rows', 'show its rows instead')
    .option('--format <csv|jsonl>', 'print all rows as CSV with one answer a line, or as JSONL with one row a line')
    .option('--state <done|failed|missing|differing>', 'only rows of this state')
    .action(run(experimentsCommands, 'experimentCommand'));
  addRun(experiment, run);
  return experiment;
}

function addRun(experiment: Command, run: Runner): void {
  gated(
    asked(
      json(experiment.command('run'))
        .description('start an experiment: one prompt for the rows of a data set on several models')
        .argument('[dir]', 'a folder with dataset.jsonl and experiment.json, such as mcs import writes')
        .option('--spec <name>', 'another file of the folder than experiment.json')
        .option('--max-cost <usd>', 'the cap, which is required: the experiment never costs more')
        .option('--dataset <id>', 'a data set that is stored already')
        .option('--prompt <text>', 'the prompt, with {input} and names of variables in braces')
        .option('-f, --file <path>', 'read the prompt from a file; - reads standard input')
        .option('--name <name>', 'a name')
        .option('--limit <n>', 'take only n rows, a random sample that is the same in every experiment')
        .option('--samples <n>', 'call each model n times for each row (at most 20)')
        .option('--parallel <n>', 'maximum number of rows at the same time')
        .option('--rubric <criterion>', 'let a judge decide whether each answer meets this; may be repeated', collected)
        .option('--judge <model>', 'the model that decides on the rubrics, none of those asked')
        .option('--idempotency-key <key>', 'a second call with the same key returns the same experiment'),
    ),
  ).action(run(() => import('./commands/experiment-run.js'), 'runExperimentCommand'));
}

/** Adds the commands of judges and votes. */
export function addJudges(program: Command, run: Runner): void {
  json(program.command('judge <id>'))
    .description('let models judge the answers of an ended experiment, and show the summary')
    .option('--model <id>', 'a judge, none of the judged models; up to 3, may be repeated', collected)
    .option('--criterion <text>', 'what a good answer is, with {input}, {expected} and names of variables in braces')
    .option('--rubric', 'judge each answer alone, which is the default')
    .option('--pairwise', 'judge two answers at a time, in both orders')
    .option('--baseline <model>', 'with --pairwise, compare every other model with this one')
    .option('--scale <5>', 'with --rubric, give marks from 1 to 5')
    .option('--rows <n>', 'judge only the first n rows')
    .option('--max-cost <usd>', 'the cap, which is required: the judges never cost more')
    .option('--name <name>', 'a name')
    .option('-y, --yes', 'do not ask')
    .action(run(() => import('./commands/judge.js'), 'judgeCommand'));
  common(program.command('vote <id>'))
    .description('print the address of the page where people vote on the answers that judges saw')
    .action(run(() => import('./commands/judge.js'), 'voteCommand'));
}

function gated(command: Command): Command {
  return command
    .option('--wait', 'wait until the experiment has ended, then show its summary; the options below imply it')
    .option('--against <id>', 'compare with this experiment, and exit with code 9 if this one is worse')
    .option(
      '--fail-on <worse|cannot-tell>',
      'with cannot-tell, exit with code 10 if the rows do not show whether it is worse',
    )
    .option(
      '--min-pass <share>',
      'exit with code 9 if the pass rate of a model may be below this share, such as 0.9, or of one model as MODEL=0.9; may be repeated',
      collected,
    )
    .option('--require-recommended <model>', 'exit with code 9 if another model is recommended, or none')
    .option('--report <path>', 'write the report, also to $GITHUB_STEP_SUMMARY where that is set')
    .option('--junit <path>', 'write the rows as test cases in JUnit XML');
}
