import { randomInt } from 'node:crypto';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { Clock, DAY_MS } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { vendorsWithKeys } from '../providers/vendor-access';
import { askSources, SOURCES_TIMEOUT_MS, type Source } from './catalog-sources';
import { FINDING_KINDS, factsOn, findingsOf, verdictsOn } from './catalog-verdicts';
import { ModelsService } from './models.service';

const WEEK_MS = 7 * DAY_MS;
/** After the busy minutes of a start. A process that restarts again and again asks no vendor. */
const FIRST_MS = 300_000;
/** Processes ask at different times. */
const SPREAD_MS = 300_000;
const MAX_LINES = 20;

/**
 * Compares the catalog with the vendors' Models APIs some minutes after the start, and then in the first minutes of
 * every week since the epoch (Thursday, 00:00 UTC).
 * Every process asks by itself, at no cost, because each has to learn which models are retired. No prices are changed.
 */
@Injectable()
export class CatalogCheckService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(CatalogCheckService.name);
  private readonly stopping = new AbortController();
  private readonly task = new PeriodicTask({
    pauseMs: () => WEEK_MS - (this.clock.now().getTime() % WEEK_MS) + randomInt(SPREAD_MS),
    runBatch: () => this.check(),
    onFailure: (error) => this.log.warn(`The catalog cannot be checked now: ${String(error)}`),
  });

  private start: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly models: ModelsService,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (vendorsWithKeys(this.config).length === 0) return;
    for (const kind of FINDING_KINDS) this.metrics.catalogFindings.set({ kind }, 0);
    this.start = setTimeout(() => this.task.start(), FIRST_MS + randomInt(SPREAD_MS));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.start);
    this.stopping.abort();
    await this.task.stop();
  }

  private async check(): Promise<boolean> {
    const now = this.clock.now();
    const asked = await askSources(
      this.config,
      [],
      now,
      AbortSignal.any([this.stopping.signal, AbortSignal.timeout(SOURCES_TIMEOUT_MS)]),
    );
    if (this.stopping.signal.aborted) return false;
    for (const source of asked.sources) this.retire(source, now.toISOString().slice(0, 10));
    const findings = findingsOf(verdictsOn(this.models.all(), asked, now));
    for (const kind of FINDING_KINDS)
      this.metrics.catalogFindings.set({ kind }, findings.filter((finding) => finding.kind === kind).length);
    const lines = findings.map(({ model, source, kind, message }) => `${kind}: ${source} ${model} ${message}`);
    if (lines.length > 0)
      this.log.warn(
        `The catalog differs from its vendors, \`npm run catalog:check\` prints all: ${lines.slice(0, MAX_LINES).join('; ')}`,
      );
    return false;
  }

  private retire(source: Source, today: string): void {
    const retired = this.models.all().flatMap((model) => {
      const facts = model.vendor === source.vendor ? factsOn(model, source) : undefined;
      return facts?.isRetired === true
        ? [[model.vendorModel, facts.end !== undefined && facts.end < today ? facts.end : today] as const]
        : [];
    });
    this.models.setRetired(source.vendor, new Map(retired));
  }
}
