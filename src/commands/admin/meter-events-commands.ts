import { Command, Option, SubCommand } from 'nest-commander';
import { meterEventDto, MeterEventQuery, type MeterEventDto } from '../../payments/meter-events.dto';
import type { MeterEventsService } from '../../payments/meter-events.service';
import { ChangingCommand, CommandGroup, PageCommand, type ChangeOptions, type ConsoleOptions } from './console-command';
import { ConsoleService } from './console.service';
import { actorNamed, checkedQuery } from './input';
import { columnsOf, printPage, printResult, record } from './output';

const COLUMNS = columnsOf<MeterEventDto>('charge_id', 'user_id', 'state', 'amount_usd', 'occurred_at', 'attempts', 'next_attempt_at', 'sent_at', 'last_error');

@SubCommand({ name: 'list', description: 'list meter events that are parked, or in another state, newest first' })
export class ListMeterEventsCommand extends PageCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  @Option({ flags: '--state <state>', description: 'parked (the default), waiting, sent or empty' })
  state(word: string): string {
    return word;
  }

  async run(_: string[], { json, ...query }: ConsoleOptions): Promise<void> {
    const { state, limit, cursor } = await checkedQuery(MeterEventQuery, query);
    const page = await withMeterEvents(this.services, (events) => events.list(state, limit, cursor));
    printPage('events', page.items.map(meterEventDto), COLUMNS, { json, limit, next: page.next });
  }
}

@SubCommand({ name: 'resend', arguments: '<charge>', description: 'have a parked meter event sent again' })
export class ResendMeterEventCommand extends ChangingCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  @Option({ flags: '--not-received', description: 'you have looked in Stripe, and the event did not arrive' })
  notReceived(): true {
    return true;
  }

  async run([chargeId = '']: string[], { json, as, notReceived }: ChangeOptions & { notReceived?: true }): Promise<void> {
    if (notReceived !== true) this.command.error('error: look in Stripe first whether the event arrived, because it could be charged twice; if it did not, say so with --not-received');
    const actor = actorNamed(as);
    const event = meterEventDto(await withMeterEvents(this.services, (events) => events.resend(actor, chargeId)));
    printResult(event, json, record(event));
  }
}

@Command({ name: 'meter-events', description: 'charges on their way to Stripe', subCommands: [ListMeterEventsCommand, ResendMeterEventCommand] })
export class MeterEventsCommand extends CommandGroup {}

async function withMeterEvents<T>(services: ConsoleService, work: (events: MeterEventsService) => Promise<T>): Promise<T> {
  const { MeterEventsModule } = await import('../../payments/meter-events.module.js');
  const { MeterEventsService: token } = await import('../../payments/meter-events.service.js');
  return services.use(async () => MeterEventsModule, (context) => work(context.get(token)));
}
