import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { GlobalModule } from '../../bootstrap/global.module';
import type { Config } from '../../config/config';
import { DatabaseModule } from '../../database/database.module';
import { ormOptions, servicePool } from '../../mikro-orm.config';

/** One module of the service with the modules that all of them need. */
@Module({})
export class ServicesModule {
  static async register(config: Config, module: Type): Promise<DynamicModule> {
    const pool = servicePool(config);
    const orm = await MikroOrmModule.forRoot({ ...ormOptions(config, pool), driver: PostgreSqlDriver, registerRequestContext: false });
    return { module: ServicesModule, imports: [GlobalModule.register(config), DatabaseModule.register(pool), orm, module] };
  }
}
