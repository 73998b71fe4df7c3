interface Range {
  type: string;
  weight: number;
  position: number;
}

const JSON_TYPE = 'application/json';

/**
 * True if a request prefers this media type to JSON. The higher weight in its Accept header wins, then the first
 * position;
 * JSON on a tie (one range, such as all types, lets both in) and when neither is acceptable. The most specific range
 * counts for a type (RFC 9110, 12.5.1).
 */
export function prefers({ headers: { accept } }: { headers: { accept?: string | undefined } }, type: string): boolean {
  // Most requests name nothing else, or nothing at all.
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return false;
  const ranges = accept.split(',').map(rangeOf);
  const wanted = rangeFor(type, ranges);
  const json = rangeFor(JSON_TYPE, ranges);
  if (wanted === undefined || wanted.weight === 0) return false;
  if (json === undefined || json.weight !== wanted.weight) return wanted.weight > (json?.weight ?? 0);
  return wanted.position < json.position;
}

function rangeFor(type: string, ranges: readonly Range[]): Range | undefined {
  for (const name of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find((one) => one.type === name);
    if (range !== undefined) return range;
  }
  return undefined;
}

function rangeOf(text: string, position: number): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) || 1);
  // An invalid weight counts as none.
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 1, position };
}
