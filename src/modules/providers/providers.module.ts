import { Module } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { traceHeaders } from '../../platform/observability/spans';
import { AnthropicProvider } from './anthropic/anthropic.provider';
import { ModelCallService } from './model-call.service';
import { OpenAiProvider } from './openai/openai.provider';
import type { Provider } from './provider';
import { ProviderRegistry } from './provider.registry';
import { SimulatorProvider } from './simulator.provider';
import { TokenCounterService } from './tokens/token-counter.service';
import { HttpTransport } from './transport/http-transport';
import { accessTo, vendorsWithKeys } from './vendor-access';

export function configuredProviders(config: Config, transport: Pick<HttpTransport, 'post'>, clock: Clock): Provider[] {
  // Local servers want no key.
  const local =
    config.LOCAL_MODELS.length === 0
      ? []
      : [['local', accessTo('local', config, config.LOCAL_API_KEY ?? 'none')] as const];
  return [
    ...[...vendorsWithKeys(config), ...local].map(([vendor, access]) =>
      vendor === 'anthropic' ? new AnthropicProvider(transport, access) : new OpenAiProvider(vendor, transport, access),
    ),
    ...(config.simulatorOn ? [new SimulatorProvider(clock)] : []),
  ];
}

@Module({
  providers: [
    {
      provide: HttpTransport,
      inject: [Config],
      useFactory: (config: Config) =>
        new HttpTransport(undefined, config.OTEL_PROPAGATE_TO_VENDORS ? traceHeaders : undefined),
    },
    {
      provide: ProviderRegistry,
      inject: [Config, HttpTransport, Clock],
      useFactory: (config: Config, transport: HttpTransport, clock: Clock) =>
        new ProviderRegistry(configuredProviders(config, transport, clock)),
    },
    ModelCallService,
    TokenCounterService,
  ],
  exports: [ProviderRegistry, ModelCallService, TokenCounterService],
})
export class ProvidersModule {}
