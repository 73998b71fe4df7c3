import type { Config } from '../platform/config/config';
import { percentOf } from '../platform/config/plausibility';
import { LOCAL_FOLDER } from './prepare';

/** The facts of the banner. */
interface Welcome {
  config: Config;
  url: string;
  isEmbedded: boolean;
  /** The demo user's key, only on the first start. */
  demoKey: string | undefined;
  demoUserId?: string | undefined;
}

/** The lines printed when the service is ready. */
export function banner({ config, url, isEmbedded, demoKey, demoUserId }: Welcome): string {
  return [
    '',
    `Model Comparison Service is ready at ${url}`,
    ...(config.PAGE
      ? [
          demoKey === undefined
            ? `  Page            ${url}/   (paste an API key to compare models in the browser)`
            : `  Page            ${url}/#key=${demoKey}   (open it: the link signs in)`,
        ]
      : []),
    `  Swagger UI      ${url}/docs`,
    ...(config.simulatorOn ? ['  Simulator       ON: its answers are simulated, nothing is sent to any vendor'] : []),
    `  Margin          ${percentOf(config.BILLING_MARGIN)} on top of what vendors charge (BILLING_MARGIN)`,
    ...(isEmbedded
      ? [
          `  Data            ${LOCAL_FOLDER}/ (embedded Postgres; delete the folder to start afresh)`,
          `  Admin key       in ${LOCAL_FOLDER}/secrets.json, for /api/v1/admin`,
        ]
      : []),
    ...(demoKey !== undefined
      ? firstCall(url, demoKey)
      : isEmbedded
        ? [
            `  Another key     ${portSetting(url)}npm run admin -- keys issue ${demoUserId ?? 'USER_ID'} --name another   (then open ${url}/#key=KEY)`,
          ]
        : []),
    '',
  ].join('\n');
}

/** The console finds a service on the usual port by itself. */
function portSetting(url: string): string {
  const { port } = new URL(url);
  return port === '3000' ? '' : `PORT=${port} `;
}

function firstCall(url: string, key: string): string[] {
  return [
    `  Demo key        ${key}   (of demo@example.com; shown only this once)`,
    '',
    'A first call to paste:',
    '',
    `curl -s ${url}/api/v1/compare -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"prompt":"Say {input} in French.","input":"good morning","models":["sim-swift","sim-quill"]}'`,
  ];
}
