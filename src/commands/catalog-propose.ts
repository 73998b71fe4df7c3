import '../bootstrap/check-node-version';
import { runCommand } from '../bootstrap/run-command';
import { print } from '../bootstrap/terminal';
import { Clock } from '../common/clock';
import { OperatorError } from '../common/operator-error';
import { examine } from '../platform/config/config';
import { environmentVariables } from '../platform/config/process-environment';
import { askSources, SOURCES_TIMEOUT_MS } from '../modules/models/catalog-sources';
import { loadCatalog } from '../modules/models/load-catalog';
import { proposeEntry } from '../modules/models/propose-entry';

const USAGE = 'npm run --silent catalog:propose -- VENDOR/ID [--prices FILE|URL]';

/**
 * `npm run catalog:propose`: prints a catalog entry of a model from its vendor's Models API and from price tables, for
 * a person to review.
 */
void runCommand(
  { usage: USAGE, options: ['prices'], operands: [/^[a-z]+\/[\w.:/@-]{1,200}$/] },
  async ({ operands: [name], valuesOf }) => {
    if (name === undefined) throw new OperatorError(`Name a model. Usage: ${USAGE}`);
    const now = new Clock().now();
    const { settings } = examine(environmentVariables());
    const { sources, unasked } = await askSources(
      settings,
      valuesOf('prices'),
      now,
      AbortSignal.timeout(SOURCES_TIMEOUT_MS),
    );
    for (const { name: source, reason } of unasked) print(`${source} ${reason}.`);
    const [vendor = '', ...id] = name.split('/');
    const entry = proposeEntry(
      vendor,
      id.join('/'),
      sources,
      loadCatalog({ MODEL_CATALOG_FILE: undefined, LOCAL_MODELS: [] }),
      now.toISOString().slice(0, 10),
    );
    process.stdout.write(`${JSON.stringify(entry, null, 2)}\n`);
  },
);
