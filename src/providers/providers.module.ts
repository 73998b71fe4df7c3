import Anthropic from '@anthropic-ai/sdk';
import { Module } from '@nestjs/common';
import OpenAI from 'openai';
import { Clock } from '../common/clock';
import { Config } from '../config/config';
import { traceHeaders } from '../observability/spans';
import { AnthropicProvider } from './anthropic/anthropic.provider';
import { CHAT_VENDORS, type ChatVendorName } from './chat-vendors';
import { ModelCallService } from './model-call.service';
import { OpenAiProvider } from './openai/openai.provider';
import type { Provider } from './provider';
import { ProviderRegistry } from './provider.registry';
import { SimulatorProvider } from './simulator.provider';
import { TokenCounterService } from './tokens/token-counter.service';
import { HttpTransport } from './transport/http-transport';

/** One strategy for each vendor that is configured. */
export function configuredProviders(config: Config, { fetch }: Pick<HttpTransport, 'fetch'>, clock: Clock): Provider[] {
  // Deadline and retries are ours (model-call.service.ts): the SDKs' own timeout ends at the headers and their retries would multiply it.
  const options = { fetch, timeout: config.EVAL_TIMEOUT_MS, maxRetries: 0, logLevel: 'off' as const };
  const chat = (vendor: ChatVendorName, apiKey: string | undefined, baseURL = CHAT_VENDORS[vendor].baseUrl): Provider[] =>
    apiKey === undefined ? [] : [new OpenAiProvider(vendor, new OpenAI({ apiKey, baseURL, ...options }))];
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseURL } = config;
  return [
    ...chat('openai', config.OPENAI_API_KEY, config.OPENAI_BASE_URL),
    ...(apiKey === undefined ? [] : [new AnthropicProvider(new Anthropic({ apiKey, baseURL, openTelemetry: false, ...options }))]),
    ...chat('gemini', config.GEMINI_API_KEY, config.GEMINI_BASE_URL),
    ...chat('mistral', config.MISTRAL_API_KEY, config.MISTRAL_BASE_URL),
    ...chat('deepseek', config.DEEPSEEK_API_KEY, config.DEEPSEEK_BASE_URL),
    ...chat('xai', config.XAI_API_KEY, config.XAI_BASE_URL),
    ...chat('groq', config.GROQ_API_KEY, config.GROQ_BASE_URL),
    ...chat('openrouter', config.OPENROUTER_API_KEY, config.OPENROUTER_BASE_URL),
    // Local servers want no key, but the SDK wants one.
    ...(config.LOCAL_MODELS.length === 0 ? [] : chat('local', config.LOCAL_API_KEY ?? 'none', config.LOCAL_BASE_URL)),
    ...(config.simulatorOn ? [new SimulatorProvider(clock)] : []),
  ];
}

@Module({
  providers: [
    { provide: HttpTransport, inject: [Config], useFactory: (config: Config) => new HttpTransport(undefined, config.OTEL_PROPAGATE_TO_VENDORS ? traceHeaders : undefined) },
    { provide: ProviderRegistry, inject: [Config, HttpTransport, Clock], useFactory: (config: Config, transport: HttpTransport, clock: Clock) => new ProviderRegistry(configuredProviders(config, transport, clock)) },
    ModelCallService,
    TokenCounterService,
  ],
  exports: [ProviderRegistry, ModelCallService, TokenCounterService],
})
export class ProvidersModule {}
