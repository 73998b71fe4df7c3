import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from './clock';
import { Config } from './config';
import { Metrics } from './metrics';
import { PrimaryLine } from './primary-line';

/** Hands settings, clock and metrics to every room. */
@Global()
@Module({})
export class CommonModule {
  static with(config: Config): DynamicModule {
    const startAt = config.TEST_CLOCK === undefined ? undefined : new Date(config.TEST_CLOCK);
    return {
      module: CommonModule,
      providers: [{ provide: Config, useValue: config }, { provide: Clock, useValue: new Clock(startAt) }, Metrics, { provide: PrimaryLine, useValue: new PrimaryLine(config) }],
      exports: [Config, Clock, Metrics, PrimaryLine],
    };
  }
}
