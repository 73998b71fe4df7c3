import { cleanKey, settingsOf } from './settings';
import type { System } from './system';

const machine = (environment: Record<string, string>, file?: { text: string; isPrivate: boolean }) =>
  ({ environment, configFolder: '/home/me', readPrivateFile: () => file }) as unknown as System;
const saved = (isPrivate = true) => ({
  text: JSON.stringify({ url: 'https://saved.test', api_key: 'mcs_saved' }),
  isPrivate,
});

describe('Address and key', () => {
  it.each<[string, System, string | undefined, object]>([
    [
      'the environment',
      machine({ MCS_API_KEY: ' mcs_env\n', MCS_URL: 'https://env.test/' }, saved()),
      undefined,
      { url: 'https://env.test', apiKey: 'mcs_env' },
    ],
    [
      'the option before the environment',
      machine({ MCS_API_KEY: 'mcs_env', MCS_URL: 'https://env.test' }),
      'https://option.test',
      { url: 'https://option.test', apiKey: 'mcs_env' },
    ],
    ['what login saved', machine({}, saved()), undefined, { url: 'https://saved.test', apiKey: 'mcs_saved' }],
    [
      'an address with the path of the API',
      machine({ MCS_API_KEY: 'mcs_env', MCS_URL: 'https://env.test/api/v1/' }),
      undefined,
      { url: 'https://env.test', apiKey: 'mcs_env' },
    ],
    [
      'a key for this machine',
      machine({ MCS_API_KEY: 'mcs_env' }),
      undefined,
      { url: 'http://127.0.0.1:3000', apiKey: 'mcs_env' },
    ],
  ])('come from %s', (_name, system, url, settings) => expect(settingsOf(system, url)).toEqual(settings));

  it.each<[string, System, string | undefined]>([
    ['there is no key', machine({}), undefined],
    ["the saved key is another address's", machine({}, saved()), 'https://elsewhere.test'],
    ['others may read the file', machine({}, saved(false)), undefined],
    ['the file is something else', machine({}, { text: '{"api_key":"mcs_secret"', isPrivate: true }), undefined],
    ['the address is none', machine({ MCS_API_KEY: 'mcs_env' }), 'file:///etc/passwd'],
    ['the address has a user', machine({ MCS_API_KEY: 'mcs_env' }), 'https://me:secret@service.test'],
  ])('are refused without repeating a key when %s', (_name, system, url) => {
    expect(() => settingsOf(system, url)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/mcs_(env|saved|secret)|secret@/) }),
    );
  });

  it.each([
    'mcs_a',
    '  mcs_a \n',
    '"mcs_a"',
    "'mcs_a'",
    'Bearer mcs_a',
    'bearer  "mcs_a"',
    'Authorization: Bearer mcs_a',
  ])('%j is the key mcs_a', (pasted) => expect(cleanKey(pasted)).toBe('mcs_a'));
});
