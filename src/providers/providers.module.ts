import Anthropic from '@anthropic-ai/sdk';
import { Module } from '@nestjs/common';
import OpenAI from 'openai';
import { Config } from '../common/config';
import { AnthropicProvider } from './anthropic.provider';
import { OpenAiProvider } from './openai.provider';
import type { Provider } from './provider';
import { ProviderRegistry } from './provider.registry';
import { SimulatorProvider } from './simulator.provider';

/** One strategy for each vendor that is configured. */
function configuredProviders(config: Config): Provider[] {
  // Deadline and retries are ours (compare/model-call): the SDKs' own timeout ends at the headers and their retries would multiply it.
  const limits = { timeout: config.EVAL_TIMEOUT_MS, maxRetries: 0 };
  const providers: Provider[] = [];
  if (config.OPENAI_API_KEY !== undefined) {
    providers.push(new OpenAiProvider('openai', new OpenAI({ apiKey: config.OPENAI_API_KEY, baseURL: config.OPENAI_BASE_URL, ...limits })));
  }
  if (config.ANTHROPIC_API_KEY !== undefined) {
    providers.push(new AnthropicProvider(new Anthropic({ apiKey: config.ANTHROPIC_API_KEY, baseURL: config.ANTHROPIC_BASE_URL, ...limits })));
  }
  if (config.simulatorOn) providers.push(new SimulatorProvider());
  return providers;
}

@Module({
  providers: [{ provide: ProviderRegistry, inject: [Config], useFactory: (config: Config) => new ProviderRegistry(configuredProviders(config)) }],
  exports: [ProviderRegistry],
})
export class ProvidersModule {}
