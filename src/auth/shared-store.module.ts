import { Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { Metrics } from '../common/metrics';
import { SharedStore } from './shared-store.service';

/** A module of its own, because the throttler's is made before the providers of the room. */
@Module({
  providers: [{
    provide: SharedStore,
    inject: [Config, Metrics, Clock],
    useFactory: (config: Config, metrics: Metrics, clock: Clock) => SharedStore.open(config, metrics, clock),
  }],
  exports: [SharedStore],
})
export class SharedStoreModule {}
