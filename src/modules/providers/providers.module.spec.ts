import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { VENDORS, type CompletionRequest, type Vendor } from './provider';
import { configuredProviders } from './providers.module';
import { HttpTransport } from './transport/http-transport';

const NEEDED = { DATABASE_URL: 'postgresql://here/db', ADMIN_API_KEY: 'x'.repeat(16), API_KEY_PEPPER: 'x'.repeat(16) };
const CHAT = ['openai', 'gemini', 'mistral', 'deepseek', 'xai', 'groq', 'openrouter', 'local'] as const;
const KEYS = Object.fromEntries(
  [...CHAT, 'anthropic'].map((vendor) => [`${vendor.toUpperCase()}_API_KEY`, `key-of-${vendor}`]),
);
const REQUEST: CompletionRequest = {
  model: 'm',
  prompt: 'hello',
  maxTokens: 5,
  temperature: undefined,
  isStreamed: true,
  dialect: { maxTokensField: 'max_tokens' },
};

/** A request as the transport is given it. */
interface SentRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** The request that a vendor would be sent with those settings. */
async function sentTo(
  vendor: Vendor,
  variables: Record<string, string> = {},
  dialect: Partial<CompletionRequest['dialect']> = {},
): Promise<SentRequest> {
  const sent: SentRequest[] = [];
  const post: HttpTransport['post'] = async ({ origin, path, headers }) => {
    sent.push({ url: origin + path, headers });
    throw new Error('Nothing is sent in this test.');
  };
  const provider = configuredProviders(
    Config.read({ ...NEEDED, ...KEYS, LOCAL_MODELS: 'llama', ...variables }),
    { post },
    new Clock(),
  ).find((other) => other.vendor === vendor);
  await provider
    ?.complete(
      { ...REQUEST, dialect: { ...REQUEST.dialect, ...dialect } },
      new AbortController().signal,
      () => undefined,
    )
    .catch(() => undefined);
  const [request] = sent;
  if (request === undefined) throw new Error(`${vendor} was not called.`);
  return request;
}

describe('The requests to a vendor', () => {
  test.each([
    ['openai', 'https://api.openai.com/v1/chat/completions'],
    ['gemini', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions'],
    ['mistral', 'https://api.mistral.ai/v1/chat/completions'],
    ['deepseek', 'https://api.deepseek.com/chat/completions'],
    ['xai', 'https://api.x.ai/v1/chat/completions'],
    ['groq', 'https://api.groq.com/openai/v1/chat/completions'],
    ['openrouter', 'https://openrouter.ai/api/v1/chat/completions'],
    ['local', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['anthropic', 'https://api.anthropic.com/v1/messages'],
  ] as const)('go, for %s, to %s where no other address is set', async (vendor, address) => {
    expect((await sentTo(vendor)).url).toBe(address);
  });

  test.each([...CHAT, 'anthropic'] as const)('go, for %s, below its BASE_URL where one is set', async (vendor) => {
    const { url } = await sentTo(vendor, { [`${vendor.toUpperCase()}_BASE_URL`]: 'https://proxy.example.com/below' });
    expect(url).toBe(`https://proxy.example.com/below${vendor === 'anthropic' ? '/v1/messages' : '/chat/completions'}`);
  });

  test.each(CHAT)('carry, for %s, its own key, once, as a bearer token', async (vendor) => {
    const { headers } = await sentTo(vendor);
    expect(Object.entries(headers).filter(([, value]) => value.includes('key-of-'))).toEqual([
      ['authorization', `Bearer key-of-${vendor}`],
    ]);
  });

  test('carry the key of anthropic in one header, whichever version they use', async () => {
    const keyIn = ({ headers }: SentRequest) =>
      Object.entries(headers).filter(([, value]) => value.includes('key-of-'));
    expect(keyIn(await sentTo('anthropic'))).toHaveLength(1);
    const older = await sentTo('anthropic', {}, { apiVersion: '2023-06-01' });
    expect(keyIn(older)).toEqual([['x-api-key', 'key-of-anthropic']]);
    expect(older.headers['anthropic-version']).toBe('2023-06-01');
    const another = await sentTo('anthropic', {}, { apiVersion: '2027-01-01' });
    expect(another.headers['anthropic-version']).toBe('2027-01-01');
  });

  test('can be made to every vendor that has a key, and to no other', () => {
    const vendors = (variables: Record<string, string>) =>
      configuredProviders(Config.read({ ...NEEDED, ...variables }), new HttpTransport(), new Clock()).map(
        ({ vendor }) => vendor,
      );
    expect(new Set(vendors({ ...KEYS, LOCAL_MODELS: 'llama', SIMULATOR: 'on' }))).toEqual(new Set(VENDORS));
    expect(vendors({ SIMULATOR: 'off' })).toEqual([]);
    expect(vendors({ GROQ_API_KEY: 'k', SIMULATOR: 'off' })).toEqual(['groq']);
  });
});
