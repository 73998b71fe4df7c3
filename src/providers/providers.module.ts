import { Module } from '@nestjs/common';
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
export function configuredProviders(config: Config, transport: Pick<HttpTransport, 'post'>, clock: Clock): Provider[] {
  const chat = (vendor: ChatVendorName, apiKey: string | undefined, baseUrl = CHAT_VENDORS[vendor].baseUrl): Provider[] =>
    apiKey === undefined ? [] : [new OpenAiProvider(vendor, transport, { apiKey, baseUrl })];
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl = 'https://api.anthropic.com' } = config;
  return [
    ...chat('openai', config.OPENAI_API_KEY, config.OPENAI_BASE_URL),
    ...(apiKey === undefined ? [] : [new AnthropicProvider(transport, { apiKey, baseUrl })]),
    ...chat('gemini', config.GEMINI_API_KEY, config.GEMINI_BASE_URL),
    ...chat('mistral', config.MISTRAL_API_KEY, config.MISTRAL_BASE_URL),
    ...chat('deepseek', config.DEEPSEEK_API_KEY, config.DEEPSEEK_BASE_URL),
    ...chat('xai', config.XAI_API_KEY, config.XAI_BASE_URL),
    ...chat('groq', config.GROQ_API_KEY, config.GROQ_BASE_URL),
    ...chat('openrouter', config.OPENROUTER_API_KEY, config.OPENROUTER_BASE_URL),
    // Local servers want no key.
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
