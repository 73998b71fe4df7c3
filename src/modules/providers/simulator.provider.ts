import { createHash, randomInt } from 'node:crypto';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../common/clock';
import type { Effort } from '../../common/effort';
import { countedText, type Completion, type CompletionRequest, type OnText, type Provider } from './provider';
import { ProviderError } from './provider.error';
import { judgedText, scriptedPart } from './simulator.judge';
import { withoutTriggers } from './simulator-triggers';
import { countQuoted, quotedTokens, scriptFor, simulatedTokens, words, type SimulatorScript } from './simulator.script';

const PIECE_TOKENS = 8;
const MAX_PIECES = 64;
const THOUGHT_TOKENS: Record<Effort, number> = {
  none: 0,
  minimal: 50,
  low: 200,
  medium: 800,
  high: 1600,
  xhigh: 3200,
  max: 6400,
};

interface Speech {
  tokens: Iterable<string>;
  /** Tokens of thought, which come before the text. */
  thought: number;
  /** How many tokens it may say. */
  count: number;
  /** True if it wants to think or say more. */
  isCut: boolean;
}

/**
 * Answers without any vendor: priced, deterministic for the same request unless asked to vary, scripted by triggers in
 * the prompt.
 */
export class SimulatorProvider implements Provider {
  readonly vendor = 'simulator';

  /**
   * @param draw a new number from 0 to below that count for each call
   * @param wait waits that many milliseconds; a recording advances its clock instead
   */
  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly draw: (count: number) => number = randomInt,
    private readonly wait: (ms: number, signal: AbortSignal) => Promise<void> = (ms, signal) =>
      delay(ms, undefined, { signal }),
  ) {}

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const script = scriptFor(request.model, request.prompt);
    // Neighboring seeds, whose words differ for certain; hashed ones might meet.
    const seed = seedOf(request) + this.draw(script.vary);
    await this.wait(script.slowMs + baseDelayMs(request.model), signal);
    if (script.fail !== undefined) throw new ProviderError(script.fail);
    if (script.refusal) throw new ProviderError('content_refused');
    const speech = speechFor(request, script, seed);
    const { thought, count } = speech;
    let text = '';
    let spoken = 0;
    const begunMs = this.clock.monotonicMs();
    for (const piece of piecesOf(speech, script, seed)) {
      spoken += piece.length;
      if (request.isStreamed || script.pace !== undefined) await this.reach(begunMs, spoken, script.pace, signal);
      text += piece.join('');
      onText(piece.join(''));
      if (script.cut && spoken >= count / 2) throw new ProviderError('connection_failed', { afterFirstByte: true });
    }
    return {
      text,
      finishReason: speech.isCut ? 'length' : 'stop',
      usage: {
        inputTokens: simulatedTokens(countedText(request)),
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: thought + count,
        reasoningTokens: thought,
      },
      responseModel: script.answeredBy,
      reportedCostUsd: script.statedCost,
    };
  }

  /**
   * Waits until a number of tokens is due; without a pace for a turn of the event loop, so that each piece arrives
   * separately.
   */
  private async reach(begunMs: number, spoken: number, pace: number | undefined, signal: AbortSignal): Promise<void> {
    const waitMs = pace === undefined ? 0 : begunMs + (spoken * 1000) / pace - this.clock.monotonicMs();
    await (waitMs > 0 ? this.wait(waitMs, signal) : turn(undefined, { signal }));
  }
}

function speechFor(request: CompletionRequest, script: SimulatorScript, seed: number): Speech {
  const { maxTokens, reasoningEffort = 'none' } = request;
  const wantedThought = script.think ?? THOUGHT_TOKENS[reasoningEffort];
  const thought = Math.min(wantedThought, maxTokens);
  const length = 24 + (seed % 40);
  const text =
    quotedText(request, script) ??
    (request.responseFormat && JSON.stringify({ answer: [...words(seed, length)].join('') }));
  const wanted = script.length ?? (text === undefined ? length : countQuoted(text));
  const count = Math.min(wanted, maxTokens - thought);
  return {
    thought,
    count,
    isCut: wantedThought + wanted > thought + count,
    tokens: text === undefined ? words(seed, count) : quotedTokens(text, count),
  };
}

function quotedText({ prompt }: CompletionRequest, { echo, say, judge }: SimulatorScript): string | undefined {
  if (say !== undefined) return say;
  if (!echo) return judgedText(prompt, judge);
  const head = scriptedPart(prompt);
  return `${withoutTriggers(head)}\n${prompt.slice(head.length)}`.trim() || undefined;
}

/** Tokens in the pieces in which they are said: one to three at a pace, else a few more, and never very many pieces. */
function* piecesOf({ tokens, count }: Speech, { pace }: SimulatorScript, seed: number): Generator<string[]> {
  const usual = Math.max(PIECE_TOKENS, Math.ceil(count / MAX_PIECES));
  let piece: string[] = [];
  let pieces = 0;
  let left = count;
  for (const token of tokens) {
    piece.push(token);
    left -= 1;
    // Two numbers without a common factor, so that the sizes do not simply go round.
    const size = pace === undefined ? usual : 1 + ((seed >>> (pieces % 29)) % 3);
    if (piece.length < size && left > 0) continue;
    yield piece;
    pieces += 1;
    piece = [];
  }
}

function seedOf({ model, prompt, maxTokens, temperature, system, ...others }: CompletionRequest): number {
  return createHash('sha256')
    .update(
      JSON.stringify([
        model,
        prompt,
        maxTokens,
        temperature,
        ...[system, others.reasoningEffort, others.history].filter((given) => given !== undefined),
      ]),
    )
    .digest()
    .readUInt32BE(0);
}

// Each model has a different pace, so that one of them is the fastest.
function baseDelayMs(model: string): number {
  return 10 + (createHash('sha256').update(model).digest().readUInt8(0) % 4) * 20;
}
