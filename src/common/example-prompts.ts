/** A prompt to begin with, and the checks of a good answer as the form of the page writes them. */
export interface ExamplePrompt {
  name: 'Extract JSON' | 'Classify' | 'Translate' | 'Write code' | 'Summarize';
  prompt: string;
  input: string;
  checks: readonly Readonly<Record<string, string>>[];
}

/** Example prompts by use. The page offers them, and the simulator has an answer to each. */
export const EXAMPLE_PROMPTS: readonly ExamplePrompt[] = [
  {
    name: 'Extract JSON',
    prompt:
      'Extract the order as JSON with the members "name", "city" and "total" (a number). Answer with the JSON only.\n\n{input}',
    input:
      'Hello, this is Maria Oliveira. Please send both lamps to Rua das Flores 12 in Porto. I paid 84.50 euros yesterday.',
    checks: [
      {
        type: 'json',
        name: 'right-values',
        schema:
          '{"type":"object","required":["name","city","total"],"properties":{"city":{"const":"Porto"},"total":{"const":84.5}}}',
      },
      { type: 'contains', name: 'full-name', values: 'Maria Oliveira' },
    ],
  },
  {
    name: 'Classify',
    prompt: 'Classify the message of a customer. Answer with one word: billing, delivery, product or other.\n\n{input}',
    input: 'Your page says that my parcel arrived on Monday, but nothing is here. Will I get my money back?',
    checks: [{ type: 'equals', name: 'the-right-word', value: 'delivery', ignore_case: 'true' }],
  },
  {
    name: 'Translate',
    prompt: 'Translate into French. Keep what stands in braces unchanged. Answer with the translation only.\n\n{input}',
    input: 'Hello {name}, your order {order} leaves our warehouse tomorrow morning.',
    checks: [
      { type: 'contains', name: 'keeps-the-braces', values: '{name}\n{order}' },
      {
        type: 'similarity',
        name: 'close-to-ours',
        value: 'Bonjour {name}, votre commande {order} quittera notre entrepôt demain matin.',
        min: '0.7',
      },
    ],
  },
  {
    name: 'Write code',
    prompt:
      'Write the TypeScript function slug(title: string): string. It puts the title in lower case, replaces whatever is no letter or digit by one hyphen, and leaves no hyphen at either end. Answer with one code block only.',
    input: '',
    checks: [
      { type: 'regex', name: 'one-code-block', pattern: '^```[a-z]*\\n[^`]*```\\s*$' },
      { type: 'contains', name: 'lower-case', values: 'slug\ntoLowerCase' },
    ],
  },
  {
    name: 'Summarize',
    prompt: 'Summarize this incident for our customers in at most 40 words. Name the time and the cause.\n\n{input}',
    input:
      'On Tuesday at 14:20 the payment page began to answer slowly. A certificate of the card network had expired at 14:00, and each payment tried the connection five times before it gave up. At 14:55 we installed the new certificate. 312 payments were late, none was lost, and no customer was charged twice.',
    checks: [
      { type: 'length', name: 'at-most-40-words', max: '40', unit: 'words' },
      { type: 'contains', name: 'time-and-cause', values: '14:20\ncertificate', ignore_case: 'true' },
    ],
  },
];

/** The text that the models get. */
export function filledExample({ prompt, input }: Pick<ExamplePrompt, 'prompt' | 'input'>): string {
  return prompt.replace('{input}', () => input);
}
