import type { Command } from 'commander';

/** Receives the exit code of a command. */
export type End = (code: number) => void;

/** Adds the options of every command. */
export function common(command: Command): Command {
  return command.option('--url <address>', 'the service; by default MCS_URL, the one logged in to, or http://127.0.0.1:3000').option('--no-color', 'no colors, as with NO_COLOR');
}

/** The same, and `--json`. */
export function json(command: Command): Command {
  return common(command).option('--json', 'the JSON of the API');
}
