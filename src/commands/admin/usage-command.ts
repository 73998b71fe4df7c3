import { Command, Option } from 'nest-commander';
import { MonthQuery } from '../../usage/statement.dto';
import { ConsoleCommand, type ConsoleOptions } from './console-command';
import { ConsoleService } from './console.service';
import { checkedQuery } from './input';
import { printResult, record } from './output';

@Command({ name: 'usage', arguments: '<user>', description: "show a user's usage and charge in one month" })
export class UsageCommand extends ConsoleCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  @Option({ flags: '--month <month>', description: 'month in UTC as YYYY-MM; the current month by default' })
  month(word: string): string {
    return word;
  }

  async run([id = '']: string[], { json, ...query }: ConsoleOptions): Promise<void> {
    const { month } = await checkedQuery(MonthQuery, query);
    const { UsageReportModule, UsageReport } = await import('./usage-report.module.js');
    const usage = await this.services.use(async () => UsageReportModule, (context) => context.get(UsageReport).of(id, month));
    printResult(usage, json, record(usage));
  }
}
