import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { addAdmin } from './admin-program';
import type { CompareCommandOptions } from './commands/compare';
import type { EvalCommandOptions } from './commands/eval';
import type { EvalsCommandOptions } from './commands/evals';
import type { RerunCommandOptions } from './commands/rerun';
import type { RunCommandOptions } from './commands/runs';
import type { ShareCommandOptions } from './commands/share';
import type { UsageCommandOptions } from './commands/usage';
import type { CommonOptions, Context } from './context';
import type { RequestOptions } from './request';
import { common, json, type End } from './options';
import type { System } from './system';

const EXIT_CODES = `
Exit codes: 0 done; 1 a fault, or no connection; 2 wrong use; 3 models failed (--fail-on); 4 key; 5 money; 6 rate limit; 7 over --max-latency; 8 checks failed (--fail-on-check); 130 interrupted.
The key is read from MCS_API_KEY or from the file of mcs login, for mcs admin from MCS_ADMIN_KEY or the file of mcs admin login; it is no option, because others can see the arguments of processes.`;

/** Runs one command line, and gives its exit code. Commands are loaded when they are used, so that `--version` and `--help` answer at once. */
export async function run(args: readonly string[], machine: System): Promise<number> {
  const system = withoutKeys(machine);
  let code = 0;
  const program = buildProgram(system, (ended) => { code = ended; });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    const { EXIT, exitCodeOf, messageOf } = await import('./exit-codes.js');
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { harmless } = await import('./text.js');
    system.errors.write(`mcs: ${harmless(messageOf(error))}\n`);
    return exitCodeOf(error);
  }
}

/** Characters that a terminal executes, or that reverse the following text. */
const CONTROLS = /[^\n\P{Cc}]|\p{Bidi_Control}/gu;

const CHECK_HELP = 'what a good answer is, such as contains=TEXT, regex=PATTERN, json=SCHEMA_FILE, length=..50words, latency=2000 or not-contains=TEXT; may be repeated';

function buildProgram(system: System, end: End): Command {
  const program = new Command('mcs')
    .description('Compares language models on one prompt, and shows what it cost.')
    .version(version)
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => system.out.write(text),
      writeErr: (text) => system.errors.write(text),
      // Its messages repeat words of the command line.
      outputError: (text, write) => write(text.replace(CONTROLS, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)),
      getOutHelpWidth: () => system.out.columns,
      getErrHelpWidth: () => system.out.columns,
    });
  addCompares(program, system, end);
  addReads(program, system, end);
  addEvaluation(program, system, end);
  addRunsAndShares(program, system, end);
  common(program.command('login')).description('ask for an API key without showing it, and keep it in a file that only you can read')
    .action(async (options: CommonOptions) => end(await (await import('./commands/login.js')).loginCommand(system, options)));
  addAdmin(program, system, end);
  return program;
}

function addCompares(program: Command, system: System, end: End): void {
  judged(request(program.command('compare'))).description('run a prompt on several models and watch them')
    .option('--background', 'leave it to the service, and print the id of the run')
    .option('--plain', 'one model after the other, nothing drawn over')
    .option('--details', 'with --json and --jsonl: charge, attempts, time to first token, prices')
    .option('--idempotency-key <key>', 'sending it again gives the same eval')
    .option('--jsonl', 'the events as they come, one on each line')
    .action(async (prompt: string | undefined, options: CompareCommandOptions) => end(await (await import('./commands/compare.js')).compareCommand(await context(system, options), prompt, options)));
  request(program.command('estimate')).description('what a compare would cost; runs and charges nothing')
    .action(async (prompt: string | undefined, options: CommonOptions & RequestOptions) => end(await (await import('./commands/estimate.js')).estimateCommand(await context(system, options), prompt, options)));
}

function addReads(program: Command, system: System, end: End): void {
  json(program.command('models')).description('the models that can be called now, with their prices')
    .option('--search <text>', 'only those whose id, name or provider contains it')
    .action(async (options: CommonOptions & { search?: string }) => end(await (await import('./commands/models.js')).modelsCommand(await context(system, options), options)));
  json(program.command('evals')).description('past evals, newest first')
    .option('--search <text>', 'only those whose prompt contains it')
    .option('--model <id>', 'only those with this model')
    .option('-n, --number <n>', 'how many', '20')
    .option('--jsonl', 'one eval on each line')
    .action(async (options: EvalsCommandOptions) => end(await (await import('./commands/evals.js')).evalsCommand(await context(system, options), options)));
  json(program.command('eval <id>')).description('one eval with its answers')
    .option('--diff <models>', 'the differences of two answers, word by word: base,other')
    .option('--plain', 'one model after the other')
    .option('--sample <n>', 'which sample to show', '1')
    .option('--include <parts>', 'with --json: details, checks, statistics', 'details')
    .action(async (id: string, options: EvalCommandOptions) => end(await (await import('./commands/eval.js')).evalCommand(await context(system, options), id, options)));
  json(program.command('usage')).description('evals, charge and free evals of a month')
    .option('--month <YYYY-MM>', 'the current one by default')
    .option('--by <model|day|key>', 'broken down')
    .option('--csv', 'the statement, as CSV')
    .action(async (options: UsageCommandOptions) => end(await (await import('./commands/usage.js')).usageCommand(await context(system, options), options)));
  json(program.command('whoami')).description('what the key in use is and may do')
    .action(async (options: CommonOptions) => end(await (await import('./commands/whoami.js')).whoamiCommand(await context(system, options), options)));
}

function addEvaluation(program: Command, system: System, end: End): void {
  json(program.command('agreement <id>')).description('which models of an eval say the same')
    .action(async (id: string, options: CommonOptions) => end(await (await import('./commands/agreement.js')).agreementCommand(await context(system, options), id, options)));
  judged(json(program.command('rerun <id>'))).description('run an eval again, as it was')
    .option('--max-cost <usd>', 'refuse what could cost more; by default as the eval was')
    .option('--idempotency-key <key>', 'sending it again gives the same eval')
    .action(async (id: string, options: RerunCommandOptions) => end(await (await import('./commands/rerun.js')).rerunCommand(await context(system, options), id, options)));
  json(program.command('drift <id>')).description('what changed between an eval and an earlier one')
    .option('--against <id>', 'the earlier one; by default the one that was run again')
    .action(async (id: string, options: CommonOptions & { against?: string }) => end(await (await import('./commands/drift.js')).driftCommand(await context(system, options), id, options)));
  json(program.command('projection <id>')).description('what the calls of an eval would cost in a month')
    .option('--calls <n>', 'how many of each model a month')
    .action(async (id: string, options: CommonOptions & { calls?: string }) => end(await (await import('./commands/projection.js')).projectionCommand(await context(system, options), id, options)));
}

function addRunsAndShares(program: Command, system: System, end: End): void {
  json(program.command('runs')).description('compares that run in the service, or have')
    .option('-n, --number <n>', 'how many', '20')
    .action(async (options: CommonOptions & { number: string }) => end(await (await import('./commands/runs.js')).runsCommand(await context(system, options), options)));
  judged(json(program.command('run <id>'))).description('how far a run is')
    .option('--wait', 'until it has ended, and show its eval')
    .option('--cancel', 'take it out of the queue')
    .action(async (id: string, options: RunCommandOptions) => end(await (await import('./commands/runs.js')).runCommand(await context(system, options), id, options)));
  json(program.command('share <id>')).description('a link to an eval, for people without a key')
    .option('--redact <parts>', 'what it hides: prompt, outputs, costs, models')
    .option('--days <n>', 'how long it works; 30 by default')
    .action(async (id: string, options: ShareCommandOptions) => end(await (await import('./commands/share.js')).shareCommand(await context(system, options), id, options)));
  json(program.command('shares')).description('the links there are')
    .action(async (options: CommonOptions) => end(await (await import('./commands/share.js')).sharesCommand(await context(system, options), options)));
  common(program.command('unshare <id>')).description('end a link')
    .action(async (id: string, options: CommonOptions) => end(await (await import('./commands/share.js')).unshareCommand(await context(system, options), id)));
}

function judged(command: Command): Command {
  return command.option('--fail-on <any|all>', 'which failed models make the exit code 3', 'all')
    .option('--max-latency <ms>', 'exit code 7 when a model takes longer')
    .option('--fail-on-check', 'exit code 8 when a check fails or cannot be decided');
}

function request(command: Command): Command {
  return json(command).argument('[prompt]', 'the prompt; {input} in it stands for the input; - reads standard input')
    .option('-f, --file <path>', 'the prompt from a file; - is standard input')
    .option('-i, --input <text>', 'the input; - reads standard input')
    .option('-m, --models <ids>', 'models, separated by commas; may be repeated', collected)
    .option('--temperature <n>', 'from 0 to 2')
    .option('--max-tokens <n>', 'of each answer')
    .option('--max-cost <usd>', 'refuse what could cost more')
    .option('--samples <n>', 'ask each model so often, up to 10 times or 50 with --background, and say what was luck')
    .option('--check <check>', CHECK_HELP, collected)
    .option('--checks <path>', 'checks from a file, a JSON array as the API takes it');
}

function collected(value: string, all: string[] | undefined): string[] {
  return [...(all ?? []), value];
}

async function context(system: System, options: CommonOptions): Promise<Context> {
  return (await import('./context.js')).contextOf(system, options);
}

/** Nothing that looks like a key reaches standard error, wherever it was pasted. */
function withoutKeys(system: System): System {
  const { errors } = system;
  return { ...system, errors: { ...errors, write: (text) => errors.write(text.replace(/mcs_\w{8,}/g, 'mcs_…')) } };
}
