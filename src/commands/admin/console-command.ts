import { CommandRunner, Option } from 'nest-commander';

type Command = Parameters<CommandRunner['setCommand']>[0];

/** Options of every console command. */
export interface ConsoleOptions {
  json?: true;
}

/** Options of every command that changes something. */
export interface ChangeOptions extends ConsoleOptions {
  as?: string;
}

/** A word with commands below it, such as `users`; does nothing itself. */
export abstract class CommandGroup extends CommandRunner {
  override setCommand(command: Command): this {
    return super.setCommand(strict(command));
  }

  async run([word]: string[]): Promise<void> {
    const names = this.command.commands.map((command) => command.name()).join(', ');
    this.command.error(`error: ${word === undefined ? 'a command is missing' : `unknown command '${word}'`}; ${this.command.name()} has ${names}`);
  }
}

/** A command that says something, in words or as JSON. */
export abstract class ConsoleCommand extends CommandRunner {
  override setCommand(command: Command): this {
    return super.setCommand(strict(command).allowExcessArguments(false));
  }

  @Option({ flags: '--json', description: 'print the result as JSON' })
  json(): true {
    return true;
  }
}

/** A command that shows a list, a page at a time. */
export abstract class PageCommand extends ConsoleCommand {
  @Option({ flags: '--limit <count>', description: 'how many to show, 20 by default and 100 at most' })
  limit(word: string): string {
    return word;
  }

  @Option({ flags: '--cursor <cursor>', description: 'where the next page begins, as the page before it said' })
  cursor(word: string): string {
    return word;
  }
}

/** A command that changes something; the audit log names its operator. */
export abstract class ChangingCommand extends ConsoleCommand {
  @Option({ flags: '--as <name>', description: "who does this, for the audit log; the operating system's user by default" })
  as(name: string): string {
    return name;
  }
}

// nest-commander sets this for the program alone and not for its commands, which would end the process with 1 before anything is closed.
function strict(command: Command): Command {
  return command.exitOverride();
}
