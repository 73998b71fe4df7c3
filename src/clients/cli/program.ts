import { Command, CommanderError } from 'commander';
import { version } from '../../../package.json';
import { addAdmin } from './admin-program';
import type { CommonOptions } from './context';
import { addExperiments, addJudges } from './experiment-program';
import { asked, common, context, json, runnerOf, type End, type Runner } from './options';
import { EXAMPLES } from './examples';
import type { System } from './system';

const shareCommands = () => import('./commands/share.js');
const runsCommands = () => import('./commands/runs.js');
const storedCommands = () => import('./commands/stored.js');

const EXIT_CODES = `
Exit codes: 0 success; 1 error or no connection; 2 wrong use or no such thing, so that nothing ran; 3 models failed (--fail-on); 4 API key missing or refused; 5 payment or spending limit, or an experiment that paused before its end; 6 rate limit; 7 slower than --max-latency; 8 checks failed (--fail-on-check); 9 an experiment is worse, below --min-pass, or not as --require-recommended; 10 the rows do not show whether it is worse (--fail-on cannot-tell), or there is no common row; 130 interrupted.
mcs reads the API key from MCS_API_KEY or from the file of mcs login; mcs admin reads the admin key from MCS_ADMIN_KEY or from the file of mcs admin login. Keys are not options, because other users can see the arguments of a process.`;

/**
 * Runs one command line, and gives its exit code. Commands are loaded when they are used, so that `--version` and
 * `--help` answer at once.
 */
export async function run(args: readonly string[], machine: System): Promise<number> {
  const system = withoutKeys(machine);
  let code = 0;
  const program = buildProgram(system, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    const { EXIT, exitCodeOf, messageOf } = await import('./exit-codes.js');
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { harmless } = await import('./text.js');
    system.errors.write(`mcs: ${harmless(messageOf(error, args[0] === 'admin' ? 'mcs admin login' : undefined))}\n`);
    return exitCodeOf(error);
  }
}

/** Characters that a terminal executes, or that reverse the following text. */
const CONTROLS = /[^\n\P{Cc}]|\p{Bidi_Control}/gu;

function buildProgram(system: System, end: End): Command {
  const program = new Command('mcs')
    .description('Compares language models on one prompt and shows what each answer costs.')
    .version(version)
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    // A command and its subcommands may have the same option.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => system.out.write(text),
      writeErr: (text) => system.errors.write(text),
      // Its messages repeat words of the command line.
      outputError: (text, write) =>
        write(
          text
            .replace(/^error: /, 'mcs: ')
            .replace(CONTROLS, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`),
        ),
      getOutHelpWidth: () => system.out.columns,
      getErrHelpWidth: () => system.out.columns,
    });
  const run = runnerOf(system, end);
  addCompares(program.commandsGroup('Compare:'), run);
  addReads(program.commandsGroup('Look back:'), run, system, end);
  addJudgments(program.commandsGroup('Judge:'), run, system, end);
  addEvaluation(program, run);
  addExperiments(program.commandsGroup('Experiments:'), run, system, end);
  addJudges(program, run);
  addRunsAndShares(program.commandsGroup('Runs and links:'), run);
  addAccount(
    program.commandsGroup('Account and setup:').helpCommand('help [command]', 'show the help of a command'),
    run,
    system,
    end,
  );
  addAdmin(program, system, end);
  addExamples(program, '');
  return program;
}

function addExamples(command: Command, path: string): void {
  const examples = EXAMPLES[path];
  if (examples !== undefined)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);
  for (const each of command.commands) addExamples(each, `${path} ${each.name()}`.trim());
}

function addJudgments(program: Command, run: Runner, system: System, end: End): void {
  json(program.command('prefer <id> <choice>'))
    .description('store which answer of an eval is better: a model, tie or none_good')
    .option('--reason <text>', 'why, in at most 500 characters')
    .action(run(storedCommands, 'preferCommand'));
  common(program.command('unprefer <id>'))
    .description('take the choice back')
    .action(run(storedCommands, 'unpreferCommand'));
  json(program.command('preferences'))
    .description('show how often models were preferred, pair by pair')
    .option('--models <ids>', 'only pairs of these models')
    .option('--since <time>', 'only choices since then, such as 2026-11-01T00:00:00Z')
    .action(run(storedCommands, 'preferencesCommand'));
  json(program.command('note <id> [text]'))
    .description('store a note on an eval')
    .option('--remove', 'remove the note')
    .action(async (id: string, text: string | undefined, { remove, ...options }: CommonOptions & { remove?: true }) => {
      const [{ annotateCommand }, { UsageError }] = await Promise.all([storedCommands(), import('./exit-codes.js')]);
      if ((text === undefined) !== (remove === true)) throw new UsageError('Pass the text of the note or --remove.');
      end(await annotateCommand(await context(system, options), id, { note: text ?? null }, options));
    });
  json(program.command('star <id>'))
    .description('give an eval a star')
    .option('--remove', 'take the star away')
    .action(async (id: string, { remove, ...options }: CommonOptions & { remove?: true }) => {
      const { annotateCommand } = await storedCommands();
      end(await annotateCommand(await context(system, options), id, { starred: remove !== true }, options));
    });
}

function addAccount(program: Command, run: Runner, system: System, end: End): void {
  json(program.command('usage'))
    .description('show evals, charge and free evals of a month')
    .option('--month <YYYY-MM>', 'the month; by default the current one')
    .option('--by <model|day|key>', 'break the month down by model, day or key')
    .option('--csv', 'print the statement as CSV')
    .action(run(() => import('./commands/usage.js'), 'usageCommand'));
  common(program.command('mcp'))
    .description('serve assistants on standard input and output by the Model Context Protocol, with the stored key')
    .action(run(() => import('./commands/mcp.js'), 'mcpCommand'));
  json(program.command('whoami'))
    .description('show the API key in use, its scopes and its limits')
    .action(run(() => import('./commands/whoami.js'), 'whoamiCommand'));
  common(program.command('login'))
    .description('ask for an API key without showing it, and store it in a file that only you can read')
    .action(async (options: CommonOptions) =>
      end(await (await import('./commands/login.js')).loginCommand(system, options)),
    );
  program
    .command('logout')
    .description('remove the stored API key')
    .action(async () => end((await import('./commands/setup.js')).logoutCommand(system, { color: false })));
  program
    .command('completion <shell>')
    .description('print the script by which bash, zsh or fish completes commands, options and models')
    .action(async (shell: string) =>
      end((await import('./commands/completion.js')).completionCommand(system, program, shell)),
    );
}

function addCompares(program: Command, run: Runner): void {
  judged(request(program.command('compare')))
    .description('compare models on one prompt')
    .option('--background', 'queue the compare in the service and print only the id of the run')
    .option('--plain', 'print one model after the other, without redrawing')
    .option('--details', 'add charge, attempts, time to first token and prices to --json and --jsonl')
    .option('--idempotency-key <key>', 'a second call with the same key returns the same eval')
    .option('--jsonl', 'print each event as one line of JSON')
    .action(run(() => import('./commands/compare.js'), 'compareCommand'));
  request(program.command('estimate'))
    .description('estimate the cost of a compare without running it')
    .option('--background', 'estimate a compare that would be queued, with up to 50 samples')
    .action(run(() => import('./commands/estimate.js'), 'estimateCommand'));
}

function addReads(program: Command, run: Runner, system: System, end: End): void {
  const models = json(program.command('models')).description(
    'list the models that can be called now, with their prices',
  );
  models
    .command('default [ids]')
    .description('store, show or remove the models of a compare that names none; MCS_MODELS comes first')
    .option('--clear', 'remove them')
    .action(async (ids: string | undefined, options: { clear?: boolean }) =>
      end((await import('./commands/setup.js')).defaultModelsCommand(system, ids, { ...options, color: false })),
    );
  models
    .option('--search <text>', 'only models whose id, name or provider contains the text')
    .action(run(() => import('./commands/models.js'), 'modelsCommand'));
  json(program.command('evals'))
    .description('list past evals, newest first')
    .option('--search <text>', 'only evals whose prompt contains the text')
    .option('--model <id>', 'only evals with this model')
    .option('-n, --number <n>', 'maximum number of evals', '20')
    .option('--all', 'every eval that was found')
    .option('--starred', 'only evals with a star')
    .option('--csv', 'print a table for spreadsheets, with the charge')
    .option('--jsonl', 'print each eval as one line of JSON')
    .action(run(() => import('./commands/evals.js'), 'evalsCommand'));
  json(program.command('eval <id>'))
    .description('show one eval with its answers')
    .option('--diff <models>', 'show the differences between two answers word by word: base,other')
    .option('--plain', 'print one model after the other')
    .option('--sample <n>', 'show this sample, counted from 1', '1')
    .option('--include <parts>', 'add parts to --json: details, checks, statistics', 'details')
    .action(run(() => import('./commands/eval.js'), 'evalCommand'));
  common(program.command('open [id]'))
    .description('show an eval in the browser, or print its address')
    .action(run(storedCommands, 'openCommand'));
  common(program.command('erase <id>'))
    .description('delete the prompt, input and answers of an eval or an experiment for good')
    .option('-y, --yes', 'do not ask')
    .action(run(storedCommands, 'eraseCommand'));
}

function addEvaluation(program: Command, run: Runner): void {
  json(program.command('agreement <id>'))
    .description('show which models of an eval agree')
    .action(run(() => import('./commands/agreement.js'), 'agreementCommand'));
  judged(json(program.command('rerun <id>')))
    .description('run an eval again with the same request')
    .option('--max-cost <usd>', 'reject the run if it could cost more; by default the limit of the eval')
    .option('--idempotency-key <key>', 'a second call with the same key returns the same eval')
    .action(run(() => import('./commands/rerun.js'), 'rerunCommand'));
  json(program.command('drift <id>'))
    .description('show what changed between an eval and an earlier one')
    .option('--against <id>', 'the earlier eval; by default the eval that this one repeated')
    .action(run(() => import('./commands/drift.js'), 'driftCommand'));
  json(program.command('projection <id>'))
    .description('project the monthly cost of the calls of an eval')
    .option('--calls <n>', 'calls of each model per month')
    .action(run(() => import('./commands/projection.js'), 'projectionCommand'));
}

function addRunsAndShares(program: Command, run: Runner): void {
  json(program.command('runs'))
    .description('list background runs, newest first')
    .option('-n, --number <n>', 'maximum number of runs', '20')
    .action(run(runsCommands, 'runsCommand'));
  judged(json(program.command('run <id>')))
    .description('show the status of a background run')
    .option('--wait', 'wait until the run has ended, then show its eval')
    .option('--cancel', 'remove the run from the queue')
    .action(run(runsCommands, 'runCommand'));
  json(program.command('share <id>'))
    .description('create a link to an eval or an experiment for people without an API key')
    .option('--redact <parts>', 'parts that the link hides: prompt, outputs, costs, models')
    .option('--texts', 'of an experiment, also show its prompt, checks and ten rows with answers')
    .option('--votes', 'of an experiment of judges, let everyone with the link vote')
    .option('--days <n>', 'days until the link expires; 30 by default')
    .action(run(shareCommands, 'shareCommand'));
  json(program.command('shares')).description('list the links').action(run(shareCommands, 'sharesCommand'));
  common(program.command('unshare <id>')).description('revoke a link').action(run(shareCommands, 'unshareCommand'));
}

function judged(command: Command): Command {
  return command
    .option('--fail-on <any|all>', 'exit with code 3 if any model, or all models, failed', 'all')
    .option('--max-latency <ms>', 'exit with code 7 if a model takes longer')
    .option('--fail-on-check', 'exit with code 8 if a check fails or cannot be decided');
}

function request(command: Command): Command {
  return asked(
    json(command)
      .argument(
        '[prompt]',
        'the prompt, in which {input} is replaced by the input; without it, or as -, standard input is read',
      )
      .option('-f, --file <path>', 'read the prompt from a file; - reads standard input')
      .option('-i, --input <text>', 'the input; - reads standard input'),
  )
    .option('--max-cost <usd>', 'reject the compare if it could cost more')
    .option('--no-store', 'let the service store no prompt and no answer')
    .option('--samples <n>', 'call each model n times (at most 10, or 50 with --background) and show statistics');
}

/** Nothing that looks like a key reaches standard error, wherever it was pasted. */
function withoutKeys(system: System): System {
  const { errors } = system;
  return { ...system, errors: { ...errors, write: (text) => errors.write(text.replace(/mcs_\w{8,}/g, 'mcs_…')) } };
}
