import { EXAMPLE_PROMPTS, filledExample, type ExamplePrompt } from '../../common/example-prompts';
import { withoutTriggers } from './simulator-triggers';

interface KnownAnswer {
  say: string;
  slowMs: number;
  pace: number;
}

/** Milliseconds before the first token, and tokens a second. */
const SPEEDS: Readonly<Record<string, Omit<KnownAnswer, 'say'>>> = {
  'sim-swift': { slowMs: 250, pace: 60 },
  'sim-quill': { slowMs: 500, pace: 36 },
  'sim-titan': { slowMs: 800, pace: 30 },
  'sim-sage': { slowMs: 1000, pace: 28 },
};

/** Each model has its own way to be right or wrong: swift is short, quill exact, titan careless, sage thorough. */
const ANSWERS: Readonly<Record<ExamplePrompt['name'], Readonly<Record<string, string>>>> = {
  'Extract JSON': {
    'sim-swift': '{"name": "Maria Oliveira", "city": "Porto", "total": "84.50"}',
    'sim-quill': '{\n  "name": "Maria Oliveira",\n  "city": "Porto",\n  "total": 84.5\n}',
    'sim-titan': 'Here is the order:\n\n{"name": "Maria Oliveira", "city": "Porto", "total": 84.5}',
    'sim-sage': '{"name": "Maria Oliveira", "city": "Porto", "total": 84.50}',
  },
  Classify: {
    'sim-swift': 'billing',
    'sim-quill': 'Delivery',
    'sim-titan': 'The customer asks about the delivery of a parcel.',
    'sim-sage': 'delivery',
  },
  Translate: {
    'sim-swift': 'Bonjour {name}, votre commande {order} quitte notre entrepôt demain matin.',
    'sim-quill': 'Bonjour {name}, votre commande {order} quittera notre entrepôt demain matin.',
    'sim-titan': 'Bonjour {nom}, votre commande {commande} quitte notre entrepôt demain matin.',
    'sim-sage': 'Bonjour {name}, votre commande {order} partira de notre entrepôt demain dans la matinée.',
  },
  'Write code': {
    'sim-swift':
      "```ts\nconst slug = (title: string): string =>\n  title.toLowerCase().replace(/[^a-z0-9]+/g, '-');\n```",
    'sim-quill':
      "```ts\nfunction slug(title: string): string {\n  return title\n    .toLowerCase()\n    .replace(/[^\\p{L}\\p{N}]+/gu, '-')\n    .replace(/^-|-$/g, '');\n}\n```",
    'sim-titan':
      "Here is the function:\n\n```ts\nfunction slug(title: string): string {\n  return title.toLowerCase().split(' ').join('-');\n}\n```",
    'sim-sage':
      "```ts\n/** The title in lower case, its words joined by hyphens. */\nfunction slug(title: string): string {\n  const words = title.toLowerCase().match(/[\\p{L}\\p{N}]+/gu);\n  return words?.join('-') ?? '';\n}\n```",
  },
  Summarize: {
    'sim-swift': 'Payments were slow on Tuesday because a certificate had expired. It is fixed. None was lost.',
    'sim-quill':
      'On **Tuesday at 14:20** payments became slow: a certificate of the card network had expired. Since **14:55** all is well. 312 payments were late; none was lost, and no one was charged twice.',
    'sim-titan':
      'We had a technical problem with payments on Tuesday afternoon. Our engineers worked hard on it, and everything is fine again.',
    'sim-sage':
      '- **When:** Tuesday, from 14:20 to 14:55\n- **Cause:** an expired certificate of the card network, so that each payment was tried five times\n- **Effect:** 312 payments were late\n- **Not affected:** no payment was lost, no customer was charged twice, and you need not do anything',
  },
};

const NAMES = new Map(EXAMPLE_PROMPTS.map((example) => [filledExample(example), example.name]));
const LONGEST = 2 * Math.max(...[...NAMES.keys()].map(({ length }) => length));

/** The answer of a simulated model to an example prompt, with or without triggers; undefined for any other prompt. */
export function knownAnswer(model: string, prompt: string): KnownAnswer | undefined {
  const name = prompt.length > LONGEST ? undefined : NAMES.get(withoutTriggers(prompt));
  const [say, speed] = Object.hasOwn(SPEEDS, model) ? [name && ANSWERS[name][model], SPEEDS[model]] : [];
  return say === undefined || speed === undefined ? undefined : { say, ...speed };
}
