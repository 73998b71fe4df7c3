import fc from 'fast-check';
import { tokenLimits } from '../billing/pricing';
import { TURN_ROLES, type Turn } from '../../common/turn';
import { prepareMessageRequest } from '../providers/anthropic/prepare-message-request';
import { CHAT_VENDORS, type ChatVendorName } from '../providers/chat-vendors';
import { prepareChatRequest } from '../providers/openai/prepare-chat-request';
import { VENDORS, type CompletionRequest, type SentTexts, type Vendor } from '../providers/provider';
import { adaptHistory } from './adapt-history';

const user = (content: string): Turn => ({ role: 'user', content });
const assistant = (content: string): Turn => ({ role: 'assistant', content });
const STRICT: readonly Vendor[] = ['anthropic', 'deepseek', 'gemini', 'local', 'mistral', 'openrouter'];
const FREE: readonly Vendor[] = ['groq', 'openai', 'simulator', 'xai'];

const adapted = (vendor: Vendor, text: string, history: Turn[] | undefined) =>
  adaptHistory({ text, history, warnings: [] }, vendor);

/** The messages that a vendor is sent. */
function messagesOf(vendor: Vendor, prompt: string, history: Turn[]): { role: string; content: string }[] {
  const sent = adapted(vendor, prompt, history);
  const request: CompletionRequest = {
    prompt: sent.text,
    history: sent.history,
    model: 'm',
    system: 'Be brief.',
    maxTokens: 9,
    temperature: undefined,
    isStreamed: false,
    dialect: { maxTokensField: 'max_tokens' },
  };
  const { system, messages } =
    vendor === 'anthropic'
      ? prepareMessageRequest(request)
      : { system: undefined, ...prepareChatRequest(request, CHAT_VENDORS[vendor as ChatVendorName]) };
  return [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages] as never;
}

describe('The turns that vendors are sent', () => {
  const CONVERSATION = [
    assistant('Welcome!'),
    user('Hello.'),
    user('Who are you?'),
    assistant('A model.'),
    user('I see.'),
  ];

  const ALTERNATING = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: '(The assistant begins.)' },
    { role: 'assistant', content: 'Welcome!' },
    { role: 'user', content: 'Hello.\n\nWho are you?' },
    { role: 'assistant', content: 'A model.' },
    { role: 'user', content: 'I see.\n\nGo on.' },
  ];

  test.each<[Vendor, object[]]>([
    ['openai', [{ role: 'system', content: 'Be brief.' }, ...CONVERSATION, { role: 'user', content: 'Go on.' }]],
    ['anthropic', ALTERNATING],
    ['mistral', ALTERNATING],
    ['deepseek', ALTERNATING],
  ])('of %s, in its form', (vendor, messages) => {
    expect(messagesOf(vendor, 'Go on.', CONVERSATION)).toEqual(messages);
  });

  test.each(FREE)('of %s, are unchanged', (vendor) => {
    expect(adapted(vendor, 'Go on.', CONVERSATION)).toEqual({ text: 'Go on.', history: CONVERSATION, warnings: [] });
  });

  test.each(STRICT)('of %s, alternate, with a sentence for each change', (vendor) => {
    const good = [user('a'), assistant('b')];
    expect(adapted(vendor, 'c', good)).toEqual({ text: 'c', history: good, warnings: [] });
    expect(adapted(vendor, 'c', undefined)).toEqual({ text: 'c', history: undefined, warnings: [] });
    const joined = {
      code: 'history_adapted',
      message: 'This model needs alternating turns; those of one role in a row were joined.',
    };
    expect(adapted(vendor, 'c', [user('a'), user('b')])).toEqual({
      text: 'a\n\nb\n\nc',
      history: [],
      warnings: [joined],
    });
    const opened = {
      code: 'history_adapted',
      message: 'This model needs a turn of the user first; (The assistant begins.) was sent.',
    };
    expect(adapted(vendor, 'c', [assistant('a')])).toEqual({
      text: 'c',
      history: [user('(The assistant begins.)'), assistant('a')],
      warnings: [opened],
    });
    expect(adapted(vendor, 'c', [assistant('a'), assistant('b')]).warnings).toEqual([opened, joined]);
  });

  test('keep the warnings of the prompt first', () => {
    const filled = { text: 'c', history: [user('a')], warnings: [{ code: 'input_missing' as const, message: 'x' }] };
    expect(adaptHistory(filled, 'mistral').warnings.map(({ code }) => code)).toEqual([
      'input_missing',
      'history_adapted',
    ]);
  });

  test('are all vendors', () => {
    expect([...STRICT, ...FREE].sort()).toEqual([...VENDORS].sort());
  });

  const conversation = fc.array(
    fc.record({ role: fc.constantFrom(...TURN_ROLES), content: fc.string({ unit: 'binary', minLength: 1 }) }),
    { minLength: 1, maxLength: 12 },
  );
  const vendor = fc.constantFrom(...VENDORS.filter((name) => name !== 'simulator'));

  test('keep every text, and never count more than the quote, at a token a byte and 16 tokens a message', () => {
    fc.assert(
      fc.property(vendor, fc.string(), conversation, (name, prompt, history) => {
        const bound = (texts: SentTexts) =>
          tokenLimits({ ...texts, system: 'Be brief.', maxTokens: 1 }, name).inputTokens;
        const sent = adapted(name, prompt, history);
        const messages = messagesOf(name, prompt, history);
        const counted = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content) + 16, 0);
        expect(counted).toBeLessThanOrEqual(bound({ prompt, history }));
        // Billed tokens are cut to the bound of what was sent.
        expect(bound({ prompt: sent.text, history: sent.history })).toBeLessThanOrEqual(bound({ prompt, history }));
        const all = messages.map(({ content }) => content).join('\n\n');
        expect(all.replace('(The assistant begins.)\n\n', '')).toBe(
          ['Be brief.', ...history.map(({ content }) => content), prompt].join('\n\n'),
        );
      }),
    );
  });
});
