import { Module } from '@nestjs/common';
import { AuditCommand } from './audit-command';
import { ConsoleService } from './console.service';
import { KeysCommand } from './keys-commands';
import { LedgerCommand } from './ledger-commands';
import { MeterEventsCommand } from './meter-events-commands';
import { UsageCommand } from './usage-command';
import { UsersCommand } from './users-commands';

/** The commands of `npm run admin`. */
@Module({
  providers: [
    ConsoleService, UsageCommand, AuditCommand,
    ...UsersCommand.registerWithSubCommands(), ...KeysCommand.registerWithSubCommands(), ...LedgerCommand.registerWithSubCommands(), ...MeterEventsCommand.registerWithSubCommands(),
  ],
})
export class ConsoleModule {}
