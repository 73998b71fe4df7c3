import { Api } from '../../support/api';

describe('The health endpoints', () => {
  it('report live and ready without a key', async () => {
    const nobody = new Api(undefined);
    for (const path of ['/health/live', '/health/ready']) {
      const { status, body } = await nobody.get(path);
      expect(status).toBe(200);
      expect(body).toEqual({ status: 'ok' });
    }
  });
});
