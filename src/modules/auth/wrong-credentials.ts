import type { IncomingHttpHeaders } from 'node:http';

const MAX_CHARACTERS = 300;
const KEY_CHARACTERS = 40;
const HOW = 'send Authorization: Bearer <API_KEY>';

/**
 * Returns a sentence about the form of wrong credentials, which says nothing about any key that exists; undefined where
 * the form is right. The operator's key has any form.
 */
export function describeCredentials(
  { authorization, ...headers }: IncomingHttpHeaders,
  isOperators = false,
): string | undefined {
  if (authorization === undefined) return describeAbsence(headers);
  const text = authorization.trim().slice(0, MAX_CHARACTERS);
  if (text === '') return `The Authorization header is empty; ${HOW}.`;
  if (/^basic( |$)/i.test(text)) return `Basic authentication is not taken; ${HOW}.`;
  if (/^bearer$/i.test(text)) return `There is no key behind Bearer; ${HOW}.`;
  const key = /^bearer\s+(.*)$/is.exec(text)?.[1];
  if (key === undefined) return `The Authorization header does not begin with Bearer and a space; ${HOW}.`;
  if (/^bearer\b/i.test(key)) return `The Authorization header has Bearer twice; ${HOW}.`;
  return isOperators ? undefined : describeKey(key);
}

function describeAbsence(headers: IncomingHttpHeaders): string {
  const other = ['x-api-key', 'api-key'].find((name) => headers[name] !== undefined);
  return other === undefined ? `The request has no API key; ${HOW}.` : `The header ${other} is not read; ${HOW}.`;
}

function describeKey(key: string): string | undefined {
  if (/^["'`]|["'`]$/.test(key)) return 'The API key stands in quotes; send it without them.';
  if (/^(\$|%\w+%$|<.*>$|\{\{)/.test(key))
    return 'A placeholder was sent in place of the API key; a shell does not replace $NAME inside single quotes.';
  if (!key.startsWith('mcs_')) return 'This is not an API key of this service; its keys begin with mcs_.';
  if (/\s/.test(key)) return 'The API key has white space in it; send it without.';
  return key.length === KEY_CHARACTERS
    ? undefined
    : `The API key has ${key.length} characters in place of ${KEY_CHARACTERS}; copy the whole key again.`;
}
