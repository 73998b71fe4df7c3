import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from './common/clock';
import { Config } from './platform/config/config';
import { Drain } from './platform/background/drain';
import { ThreadPoolService } from './platform/background/thread-pool.service';
import { Metrics } from './platform/observability/metrics';

/** Configuration, clock, metrics, shutdown state and threads, available to every module. */
@Global()
@Module({})
export class GlobalModule {
  static register(config: Config, drain = new Drain(), metrics = new Metrics()): DynamicModule {
    return {
      module: GlobalModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Drain, useValue: drain },
        { provide: Clock, useValue: new Clock() },
        { provide: Metrics, useValue: metrics },
        ThreadPoolService,
      ],
      exports: [Config, Drain, Clock, Metrics, ThreadPoolService],
    };
  }
}
