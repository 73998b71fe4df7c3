import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from './clock';
import { Config } from './config';
import { Database } from './database.service';
import { Drain } from './drain';
import { Metrics } from './metrics';
import { PgPool } from './pg-pool';
import { PrimaryLine } from './primary-line';

/** Hands settings, clock, metrics and the database to every room. */
@Global()
@Module({})
export class CommonModule {
  static with(config: Config, pool: PgPool, drain = new Drain()): DynamicModule {
    const startAt = config.TEST_CLOCK === undefined ? undefined : new Date(config.TEST_CLOCK);
    return {
      module: CommonModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Drain, useValue: drain },
        { provide: Clock, useValue: new Clock(startAt) },
        { provide: Metrics, useValue: new Metrics() },
        { provide: PrimaryLine, useValue: new PrimaryLine(config) },
        { provide: PgPool, useValue: pool },
        Database,
      ],
      exports: [Config, Drain, Clock, Metrics, PrimaryLine, Database],
    };
  }
}
