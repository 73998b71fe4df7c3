import type { CompareRequest } from '../../client/client';
import { factsOf } from '../compare/evaluated';

/** A request in the languages of its users. None has the key, which each reads from the environment. */
export const LANGUAGES = [
  { name: 'curl', of: curl },
  { name: 'TypeScript', of: typeScript },
  { name: 'Python', of: python },
  { name: 'mcs', of: mcs },
] as const;

/** Options of `mcs compare`, by their names in the API. */
const FLAGS: Readonly<Record<string, string>> = {
  temperature: '--temperature',
  max_tokens: '--max-tokens',
  max_cost_usd: '--max-cost',
  system: '--system',
  reasoning_effort: '--effort',
  reasoning_tokens: '--reasoning-tokens',
  samples: '--samples',
};
/** Characters that are not seen, or turn the direction of what is. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// In a quoted here-document the shell changes nothing, and no line of JSON is its end.
function curl(request: CompareRequest, origin: string): string {
  return `curl -sS ${quoted(`${origin}/api/v1/compare`)} \\\n  -H "Authorization: Bearer $MCS_API_KEY" \\\n  -H 'Content-Type: application/json' \\\n  --data-binary @- <<'JSON'\n${json(request)}\nJSON\n`;
}

function typeScript(request: CompareRequest, origin: string): string {
  return `import { ModelComparison } from '@model-comparison/client';\n\n// Reads the key from MCS_API_KEY.\nconst client = new ModelComparison({ baseUrl: ${json(origin)} });\nconst { results } = await client.compare(${json(request)});\nfor (const { model, output, error } of results) console.log(model, error?.message ?? output);\n`;
}

function python(request: CompareRequest, origin: string): string {
  return `import os\n\nimport httpx\n\nresponse = httpx.post(\n    ${json(`${origin}/api/v1/compare`)},\n    headers={"Authorization": f"Bearer {os.environ['MCS_API_KEY']}"},\n    json=${pythonText(request, '    ')},\n    timeout=300,\n)\nresponse.raise_for_status()\nfor result in response.json()["results"]:\n    print(result["model"], result.get("output"))\n`;
}

function mcs({ prompt, input, models, options = {}, checks = [] }: CompareRequest, origin: string): string {
  const format = factsOf(options.response_format);
  const files = [
    ...(format['schema'] === undefined ? [] : [{ flag: '--schema', name: 'schema.json', content: format['schema'] }]),
    ...(checks.length === 0 ? [] : [{ flag: '--checks', name: 'checks.json', content: checks }]),
    ...(options.history === undefined ? [] : [{ flag: '--history', name: 'turns.json', content: options.history }]),
  ];
  const given = Object.entries(options).flatMap(([name, value]) =>
    FLAGS[name] === undefined || (typeof value !== 'string' && typeof value !== 'number')
      ? []
      : [`${FLAGS[name]}=${quoted(String(value))}`],
  );
  const parts = [
    `-m ${quoted(models.join(','))}`,
    ...(input === undefined ? [] : [`--input=${quoted(input)}`]),
    ...given,
    ...(options.exact_model === true ? ['--exact-model'] : []),
    ...files.map(({ flag, name }) => `${flag} ${name}`),
    `-- ${quoted(prompt)}`,
  ];
  const made = files.map(({ name, content }) => `cat > ${name} <<'JSON'\n${json(content)}\nJSON\n`).join('');
  return `# Reads the key from MCS_API_KEY.\nexport MCS_URL=${quoted(origin)}\n${made}mcs compare ${parts.join(' \\\n  ')}\n`;
}

/** Pretty JSON in which every character can be seen; JavaScript reads it as well. */
function json(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSEEN, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value as Python writes it. Texts have the escapes of JSON, which Python shares. */
function pythonText(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  const block = (open: string, items: readonly string[], close: string): string =>
    items.length === 0
      ? open + close
      : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
  if (Array.isArray(value))
    return block(
      '[',
      value.map((item) => pythonText(item, inner)),
      ']',
    );
  if (typeof value === 'object' && value !== null)
    return block(
      '{',
      Object.entries(value).map(([name, item]) => `${json(name)}: ${pythonText(item, inner)}`),
      '}',
    );
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : json(value);
}
