import type { Command } from 'commander';
import type { CommonOptions, Context } from './context';
import type { System } from './system';

/** Receives the exit code of a command. */
export type End = (code: number) => void;

/** Adds the options of every command. */
export function common(command: Command): Command {
  return command
    .option(
      '--url <address>',
      'address of the service; by default MCS_URL, the address of the login, or http://127.0.0.1:3000',
    )
    .option('--no-color', 'print without colors, as NO_COLOR does');
}

/** The same, and `--json`. */
export function json(command: Command): Command {
  return common(command).option('--json', 'print the JSON of the API');
}

/** Adds the options that say which models are asked, how, and what a good answer is. */
export function asked(command: Command): Command {
  return command
    .option(
      '-m, --models <ids>',
      'model ids, separated by commas; may be repeated; ID@low asks at that effort; by default MCS_MODELS or those of mcs models default',
      collected,
    )
    .option('--temperature <n>', 'sampling temperature, from 0 to 2')
    .option('--max-tokens <n>', 'maximum number of output tokens of each answer')
    .option('--system <text>', 'the system message, which every model gets before the prompt; - reads standard input')
    .option(
      '--history <path>',
      'earlier turns between the system message and the prompt: a JSON list of {"role", "content"}; - reads standard input',
    )
    .option(
      '--effort <level>',
      'how much models think first: none, minimal, low, medium, high, xhigh or max; for one model, write -m ID@low',
    )
    .option('--reasoning-tokens <n>', 'room for thought beyond --max-tokens')
    .option('--schema <path>', 'ask for JSON of the JSON Schema in this file')
    .option('--exact-model', 'count the answer of another model as a failure')
    .option(
      '--check <check>',
      'check each answer, such as contains=TEXT, regex=PATTERN, json=SCHEMA_FILE, length=..50words, latency=2000 or not-contains=TEXT; may be repeated',
      collected,
    )
    .option('--checks <path>', 'read checks from a file: a JSON array in the format of the API');
}

/** Collects the values of an option that may be repeated. */
export function collected(value: string, all: string[] | undefined): string[] {
  return [...(all ?? []), value];
}

/** The environment of a command, which is loaded when one is used. */
export async function context(system: System, options: CommonOptions): Promise<Context> {
  return (await import('./context.js')).contextOf(system, options);
}

/** Makes the action of a command from the name of the function that runs it, whose module is loaded when it is used. */
export type Runner = <Name extends string>(
  load: () => Promise<Record<Name, (context: Context, ...given: never[]) => Promise<number>>>,
  name: Name,
) => (...given: unknown[]) => Promise<void>;

/** The actions of the commands that need a key. */
export function runnerOf(system: System, end: End): Runner {
  return (load, name) =>
    async (...given) => {
      // Arguments and options; commander adds the command itself.
      const args = given.slice(0, -1);
      const command = (await load())[name] as (context: Context, ...args: unknown[]) => Promise<number>;
      end(await command(await context(system, args.at(-1) as CommonOptions), ...args));
    };
}
