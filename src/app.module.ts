import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AdminModule } from './admin/admin.module';
import { AnalysisModule } from './analysis/analysis.module';
import { AuthModule } from './auth/auth.module';
import { ScopeGuard } from './auth/scope.guard';
import { BillingModule } from './billing/billing.module';
import { ChecksModule } from './checks/checks.module';
import { GlobalModule } from './bootstrap/global.module';
import type { Config } from './config/config';
import type { Drain } from './background/drain';
import type { Metrics } from './observability/metrics';
import { CompareModule } from './compare/compare.module';
import { CleanupService } from './database/cleanup.service';
import { DatasetsModule } from './datasets/datasets.module';
import { DatabaseModule } from './database/database.module';
import { EvalsModule } from './evals/evals.module';
import { ExperimentsModule } from './experiments/experiments.module';
import { HealthModule } from './health/health.module';
import { ErrorFilter } from './http/error.filter';
import { RequestValidationPipe } from './http/validation/request-validation.pipe';
import { ormOptions, servicePool } from './mikro-orm.config';
import { ModelsModule } from './models/models.module';
import { PaymentsModule } from './payments/payments.module';
import { RateLimitGuard } from './rate-limiting/rate-limit.guard';
import { RateLimitingModule } from './rate-limiting/rate-limiting.module';
import { RunsModule } from './runs/runs.module';
import { SharesModule } from './shares/shares.module';
import { UsageModule } from './usage/usage.module';

/** All modules of the application, and the guards, pipe and filter that every request passes. */
@Module({})
export class AppModule {
  static async register(config: Config, drain: Drain, metrics: Metrics): Promise<DynamicModule> {
    const pool = servicePool(config, (...ended) => metrics.statementEnded(...ended));
    metrics.watchPool(pool);
    return {
      module: AppModule,
      imports: [
        GlobalModule.register(config, drain, metrics),
        DatabaseModule.register(pool),
        // No request context: every unit of work forks its own entity manager, so that none can leak into another request.
        await MikroOrmModule.forRoot({ ...ormOptions(config, pool), driver: PostgreSqlDriver, registerRequestContext: false }),
        RateLimitingModule, AuthModule, ModelsModule, BillingModule, ChecksModule, DatasetsModule, EvalsModule, AnalysisModule, CompareModule, RunsModule, ExperimentsModule, SharesModule, UsageModule, await PaymentsModule.register(config), AdminModule, HealthModule,
      ],
      providers: [
        CleanupService,
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: ScopeGuard },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
