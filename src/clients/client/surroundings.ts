import { AuthenticationError, CompareError } from './errors';

/** Of the package; unknown where the client is part of something else. */
declare const CLIENT_VERSION: string | undefined;

/**
 * The address of the service, by default `MCS_URL`. No sentence repeats what was passed: somebody may have mixed
 * address and key up. @throws CompareError invalid_base_url
 */
export function addressOf(given: string | undefined): string {
  const address = (given ?? variable('MCS_URL'))?.trim();
  if (address === '' && 'location' in globalThis) return '';
  if (address === undefined || address === '') throw unusableAddress('is missing: pass baseUrl, or set MCS_URL');
  if (!/^https?:\/\//i.test(address)) throw unusableAddress('must begin with http:// or https://');
  if (!URL.canParse(address)) throw unusableAddress('cannot be read');
  const { username, password, search, hash } = new URL(address);
  if (`${username}${password}${search}${hash}` !== '') throw unusableAddress('must have no user, query or fragment');
  // Clients of other services want the path of the API in it.
  return address.replace(/(?:\/+api\/v1)?[/?#]*$/, '');
}

/** The API key, by default `MCS_API_KEY`. @throws AuthenticationError invalid_api_key */
export function keyOf(given: string | null | undefined): string | null {
  const key = given === undefined ? variable('MCS_API_KEY') : given;
  if (key === null) return null;
  if (key === undefined || key === '')
    throw new AuthenticationError(
      'The API key is missing: pass apiKey, or set MCS_API_KEY. For calls that need no key, pass apiKey: null.',
      { code: 'invalid_api_key' },
    );
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new AuthenticationError('The API key contains characters that no key has, such as white space.', {
      code: 'invalid_api_key',
    });
  return key;
}

/** Names the client to the service; browsers name themselves. */
export function userAgent(): Record<string, string> {
  return environment() === undefined
    ? {}
    : { 'user-agent': `model-comparison/${typeof CLIENT_VERSION === 'string' ? CLIENT_VERSION : 'source'}` };
}

function variable(name: string): string | undefined {
  try {
    return environment()?.[name]?.trim();
  } catch {
    // Deno may refuse it.
    return undefined;
  }
}

/** The variables of Node, Deno and Bun. Bundlers for browsers define `process` too, but no version of Node. */
function environment(): Record<string, string | undefined> | undefined {
  const { process: runtime } = globalThis as {
    process?: { versions?: { node?: string }; env?: Record<string, string | undefined> };
  };
  return runtime?.versions?.node === undefined ? undefined : runtime.env;
}

function unusableAddress(problem: string): CompareError {
  return new CompareError(`The address of the service ${problem}. An example is http://127.0.0.1:3000.`, {
    code: 'invalid_base_url',
  });
}
