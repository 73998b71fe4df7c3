import { Command, Option } from 'nest-commander';
import { AuditEntryDto, AuditQuery } from '../../admin/audit.dto';
import { PageCommand, type ConsoleOptions } from './console-command';
import { ConsoleService } from './console.service';
import { checkedQuery } from './input';
import { columnsOf, printPage, type Column } from './output';

const COLUMNS: readonly Column<AuditEntryDto>[] = [...columnsOf<AuditEntryDto>('at', 'action', 'target_id', 'request_id', 'address', 'actor'), ['changes', inWords]];

@Command({ name: 'audit', description: 'list who changed what, newest first' })
export class AuditCommand extends PageCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  @Option({ flags: '--target <id>', description: 'only entries about the user, key, eval or charge with this id' })
  target(word: string): string {
    return word;
  }

  async run(_: string[], { json, ...query }: ConsoleOptions): Promise<void> {
    const { limit, target, cursor } = await checkedQuery(AuditQuery, query);
    const { AuditModule } = await import('../../audit/audit.module.js');
    const { AuditService } = await import('../../audit/audit.service.js');
    const page = await this.services.use(async () => AuditModule, (context) => context.get(AuditService).list(limit, target, cursor));
    const entries = page.items.map((entry) => AuditEntryDto.from(entry));
    printPage('entries', entries, COLUMNS, { json, limit, next: page.next });
  }
}

/** The changed fields, each with its value before and after. */
function inWords({ changes }: AuditEntryDto): string {
  return Object.entries(changes).map(([name, { from, to }]) => `${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`).join('; ');
}
