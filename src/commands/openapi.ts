import '../bootstrap/check-node-version';
import { createApp } from '../app';
import { Config } from '../platform/config/config';
import { createOpenApiDocument } from '../platform/http/openapi/openapi';
import { runCommand } from '../bootstrap/run-command';

const UNUSED_SECRET = 'only-the-document-is-made';

/** `npm run openapi:generate`: prints the API document; needs no database and no settings. */
void runCommand({ usage: 'npm run openapi:generate' }, async () => {
  const app = await createApp(
    Config.read({
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      DATABASE_URL: 'postgresql://localhost/none',
      ADMIN_API_KEY: UNUSED_SECRET,
      API_KEY_PEPPER: UNUSED_SECRET,
    }),
  );
  process.stdout.write(`${JSON.stringify(createOpenApiDocument(app), null, 2)}\n`);
  await app.close();
});
