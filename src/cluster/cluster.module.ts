import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config';
import { PrimaryChannel } from './primary-channel';

/** The channel from a worker to the primary process, with WEB_CONCURRENCY above 1. */
@Global()
@Module({
  providers: [{ provide: PrimaryChannel, inject: [Config], useFactory: (config: Config) => new PrimaryChannel(config) }],
  exports: [PrimaryChannel],
})
export class ClusterModule {}
