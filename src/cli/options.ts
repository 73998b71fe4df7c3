import type { Command } from 'commander';

/** Receives the exit code of a command. */
export type End = (code: number) => void;

/** Adds the options of every command. */
export function common(command: Command): Command {
  return command.option('--url <address>', 'address of the service; by default MCS_URL, the address of the login, or http://127.0.0.1:3000').option('--no-color', 'print without colors, as NO_COLOR does');
}

/** The same, and `--json`. */
export function json(command: Command): Command {
  return common(command).option('--json', 'print the JSON of the API');
}
