import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Api } from '../../support/api';
import { requestText, rawRequest } from '../../support/raw';
import { worker } from '../../support/worker';

const nobody = () => new Api(undefined);

describe('GET /docs', () => {
  it('serves its page, with and without a slash at the end, and every file that the page asks for', async () => {
    for (const path of ['/docs', '/docs/']) {
      const { status, headers, text } = await nobody().get(path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, expect.stringContaining('text/html')]);
      const files = [...text.matchAll(/(?:src|href)="(\.[^"]+)"/g)].map(([, file]) => new URL(file ?? '', `http://service${path}`).pathname);
      expect(files.length).toBeGreaterThanOrEqual(6);
      for (const file of files) expect([file, (await nobody().get(file)).status]).toEqual([file, 200]);
    }
  });

  it.each(['GET', 'HEAD', 'PUT', 'POST'])('answers %s of any other file of its package, and of any other name, with the same 404', async (method) => {
    const own = ['favicon-16x16.png', 'favicon-32x32.png', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'];
    const others = readdirSync(dirname(require.resolve('swagger-ui-dist/package.json'))).filter((file) => !own.includes(file));
    expect(others).toEqual(expect.arrayContaining(['package.json', 'index.html', 'oauth2-redirect.html', 'swagger-initializer.js', 'swagger-ui.css.map']));
    const names = [...others, 'docs/swagger-ui-init.js', 'docs/', 'nothing', 'swagger-ui.css/', 'swagger-ui.css/x', '%73wagger-ui.css', 'package%2ejson', './package.json', '../docs/package.json', '%2e/package.json', '/package.json', 'package.json#swagger-ui.css', 'package.json?/docs/swagger-ui.css', '..%2fpackage.json', '\\package.json', '%00'].map((name) => `/docs/${name}`);
    names.push('http://service/docs/package.json', '/%64ocs/package.json', '/docs%2Fpackage.json');
    for (const name of names) {
      const answer = await rawRequest(worker().serviceUrl, requestText(method, name));
      const body = method === 'HEAD' ? undefined : { error: { code: 'not_found', message: 'No such route or resource.', request_id: answer?.headers['x-request-id'] } };
      expect([name, answer?.status, answer?.body === '' ? undefined : JSON.parse(answer?.body ?? '')]).toEqual([name, 404, body]);
    }
  });

  it('serves the API document as JSON only', async () => {
    expect([(await nobody().get('/docs-yaml')).status, (await nobody().get('/docs-json')).status]).toEqual([404, 200]);
  });

  it('allows only reads on existing files', async () => {
    const { status, headers } = await nobody().call('POST', '/docs/swagger-ui.css');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('does not store the pasted key in the browser', async () => {
    expect((await nobody().get('/docs/swagger-ui-init.js')).text).not.toContain('persistAuthorization');
  });
});
