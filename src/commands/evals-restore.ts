import '../bootstrap/check-node-version';
import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { prepare } from '../bootstrap/prepare';
import { print } from '../bootstrap/terminal';
import { GlobalModule } from '../global.module';
import type { Config } from '../platform/config/config';
import { ApiError } from '../common/errors';
import { OperatorError } from '../common/operator-error';
import { EvalsModule } from '../modules/evals/evals.module';
import { EvalsService } from '../modules/evals/evals.service';
import { environmentVariables } from '../platform/config/process-environment';
import { ExecutionModule } from '../modules/execution/execution.module';
import { SettlementService } from '../modules/execution/settlement/settlement.service';
import { unstoredEvalIn } from '../modules/execution/settlement/unstored-eval';
import { DatabaseModule } from '../platform/database/database.module';
import { SqlService } from '../platform/database/sql.service';
import { ormOptions, servicePool } from '../mikro-orm.config';
import { runCommand } from '../bootstrap/run-command';

/** The modules that storing an eval needs. */
@Module({})
class RestoreModule implements OnModuleInit {
  constructor(private readonly evals: EvalsService) {}

  /** The command lists no evals, so it finds no experiments. */
  onModuleInit(): void {
    this.evals.experiments.register(() => Promise.reject(new ApiError('not_found')));
  }

  static async register(config: Config): Promise<DynamicModule> {
    const pool = servicePool(config);
    const orm = await MikroOrmModule.forRoot({
      ...ormOptions(config, pool),
      driver: PostgreSqlDriver,
      registerRequestContext: false,
    });
    return {
      module: RestoreModule,
      imports: [GlobalModule.register(config), DatabaseModule.register(pool), orm, EvalsModule, ExecutionModule],
    };
  }
}

/**
 * `npm run evals:restore -- FILE`: stores and charges the evals of the log's `eval-not-stored` events, from a file or
 * from standard input.
 * An eval that is already stored is unchanged, so a log may be restored again. Exits with 1 if an eval could not be
 * stored.
 */
void runCommand({ usage: 'npm run evals:restore -- FILE', operands: [/./] }, async ({ operands: [file] }) => {
  // Before any connection is made.
  if (
    file !== undefined &&
    (await access(file, constants.R_OK).then(
      async () => (await stat(file)).isDirectory(),
      () => true,
    ))
  )
    throw new OperatorError(`${file} is not a file that this user may read; nothing was done.`);
  const prepared = await prepare(environmentVariables(), print);
  const context = await NestFactory.createApplicationContext(await RestoreModule.register(prepared.config), {
    logger: false,
    abortOnError: false,
  });
  try {
    await context.get(SqlService).check();
    const failures = await restore(context.get(SettlementService), prepared.config, file);
    if (failures > 0) throw new OperatorError(`${failures} evals could not be stored.`);
  } finally {
    await context.close();
    await prepared.stop();
  }
});

async function restore(settlement: SettlementService, config: Config, file: string | undefined): Promise<number> {
  let failures = 0;
  for await (const line of createInterface({ input: file === undefined ? process.stdin : createReadStream(file) })) {
    try {
      const found = unstoredEvalIn(line, config.RESERVATION_TTL_SECONDS);
      if (found === undefined) continue;
      const { isNew, stored } = await settlement.replay(found);
      print(
        `${stored.record.id}: ${isNew ? `stored, charged ${stored.record.charge.toString()} USD` : 'was stored already'}`,
      );
    } catch (error) {
      failures += 1;
      print(error instanceof Error ? error.message : String(error));
    }
  }
  return failures;
}
