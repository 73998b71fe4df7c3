import '../bootstrap/check-node-version';
import { runCommand } from '../bootstrap/run-command';
import { alignColumns, print } from '../bootstrap/terminal';
import { Clock } from '../common/clock';
import { examine } from '../platform/config/config';
import { environmentVariables } from '../platform/config/process-environment';
import { askSources, SOURCES_TIMEOUT_MS } from '../modules/models/catalog-sources';
import { FINDING_KINDS, findingsOf, verdictsOn } from '../modules/models/catalog-verdicts';
import { loadCatalog } from '../modules/models/load-catalog';

/**
 * `npm run catalog:check`: compares the catalog (with MODEL_CATALOG_FILE) with the vendors' Models APIs and with price
 * tables. Exits with 1 if there is a finding, and with 2 if a source did not answer.
 */
void runCommand(
  { usage: 'npm run catalog:check [-- --prices FILE|URL]', options: ['prices'] },
  async ({ valuesOf }) => {
    const now = new Clock().now();
    const { settings } = examine(environmentVariables());
    const { MODEL_CATALOG_FILE, LOCAL_MODELS = [] } = settings;
    const asked = await askSources(settings, valuesOf('prices'), now, AbortSignal.timeout(SOURCES_TIMEOUT_MS));
    const verdicts = verdictsOn(loadCatalog({ MODEL_CATALOG_FILE, LOCAL_MODELS }), asked, now);
    for (const line of alignColumns([
      ['MODEL', 'SOURCE', 'FINDING', ''],
      ...verdicts.map(({ model, source, kind, message }) => [model, source, kind, message]),
    ]))
      print(line);
    const counts = FINDING_KINDS.map(
      (kind) => [kind, verdicts.filter((verdict) => verdict.kind === kind).length] as const,
    ).filter(([, count]) => count > 0);
    print(
      `${verdicts.length} comparisons: ${[`${verdicts.length - findingsOf(verdicts).length} without a finding`, ...counts.map(([kind, count]) => `${count} ${kind}`)].join(', ')}.`,
    );
    if (asked.sources.length === 0)
      print('Nothing was compared: no source answered. Set the key of a vendor, or give --prices.');
    if (asked.sources.length === 0 || asked.unasked.length > 0) process.exitCode = 2;
    else if (findingsOf(verdicts).length > 0) process.exitCode = 1;
  },
);
