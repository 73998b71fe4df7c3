import { Global, Module, type DynamicModule } from '@nestjs/common';
import { PgPool } from './pg-pool';
import { SqlService } from './sql.service';

/** The connections of this process and the one service for hand-written reads. */
@Global()
@Module({})
export class DatabaseModule {
  static register(pool: PgPool): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: PgPool, useValue: pool }, SqlService],
      exports: [SqlService],
    };
  }
}
