import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from './clock';
import { Config } from './config';
import { Drain } from './drain';
import { Metrics } from './metrics';

/** Configuration, clock, metrics and shutdown state, available to every module. */
@Global()
@Module({})
export class CommonModule {
  static register(config: Config, drain = new Drain(), metrics = new Metrics()): DynamicModule {
    const startAt = config.TEST_CLOCK === undefined ? undefined : new Date(config.TEST_CLOCK);
    return {
      module: CommonModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Drain, useValue: drain },
        { provide: Clock, useValue: new Clock(startAt) },
        { provide: Metrics, useValue: metrics },
      ],
      exports: [Config, Drain, Clock, Metrics],
    };
  }
}
