import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { ProviderError } from './provider.error';
import { scriptFor, simulatedTokens, words, type SimulatorScript } from './simulator.script';

const CHUNK_TOKENS = 8;

/** Answers without any vendor: priced, deterministic for the same request, scripted by triggers in the prompt. */
export class SimulatorProvider implements Provider {
  readonly vendor = 'simulator';

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const script = scriptFor(request.model, request.prompt);
    const seed = seedOf(request);
    await delay(script.slowMs + baseDelayMs(request.model), undefined, { signal });
    if (script.fail !== undefined) throw new ProviderError(script.fail);
    if (script.refusal) throw new ProviderError('content_refused');
    return this.speak(request, script, seed, onText);
  }

  private speak(request: CompletionRequest, script: SimulatorScript, seed: number, onText: OnText): Completion {
    const wanted = script.length ?? 24 + (seed % 40);
    const count = Math.min(wanted, request.maxTokens);
    let text = '';
    let spoken = 0;
    let chunk = '';
    for (const word of words(seed, count)) {
      chunk += word;
      spoken += 1;
      if (spoken % CHUNK_TOKENS !== 0 && spoken !== count) continue;
      text += chunk;
      onText(chunk);
      chunk = '';
      if (script.cut && spoken >= count / 2) throw new ProviderError('connection_failed', { afterFirstByte: true });
    }
    return {
      text,
      finishReason: wanted > count ? 'length' : 'stop',
      usage: {
        inputTokens: simulatedTokens(request.prompt),
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: count,
        reasoningTokens: 0,
      },
    };
  }
}

function seedOf({ model, prompt, maxTokens, temperature }: CompletionRequest): number {
  return createHash('sha256').update(JSON.stringify([model, prompt, maxTokens, temperature])).digest().readUInt32BE(0);
}

// Each model has a pace of its own, so that one of them is the fastest.
function baseDelayMs(model: string): number {
  return 10 + (createHash('sha256').update(model).digest().readUInt8(0) % 4) * 20;
}
