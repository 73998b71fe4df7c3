import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AdminModule } from './modules/admin/admin.module';
import { AnalysisModule } from './modules/analysis/analysis.module';
import { AuthModule } from './modules/auth/auth.module';
import { ScopeGuard } from './modules/auth/scope.guard';
import { BillingModule } from './modules/billing/billing.module';
import { ChecksModule } from './modules/checks/checks.module';
import { GlobalModule } from './global.module';
import type { Config } from './platform/config/config';
import type { Drain } from './platform/background/drain';
import type { Metrics } from './platform/observability/metrics';
import { CompareModule } from './modules/compare/compare.module';
import { CleanupService } from './platform/database/cleanup.service';
import { DatasetsModule } from './modules/datasets/datasets.module';
import { DatabaseModule } from './platform/database/database.module';
import { EvalsModule } from './modules/evals/evals.module';
import { ExperimentsModule } from './modules/experiments/experiments.module';
import { HealthModule } from './modules/health/health.module';
import { ErrorFilter } from './platform/http/error.filter';
import { RequestValidationPipe } from './platform/http/validation/request-validation.pipe';
import { ormOptions, servicePool } from './mikro-orm.config';
import { McpModule } from './modules/mcp/mcp.module';
import { ModelsModule } from './modules/models/models.module';
import { PaymentsModule } from './modules/payments/payments.module';
import { RateLimitGuard } from './platform/rate-limiting/rate-limit.guard';
import { RateLimitingModule } from './platform/rate-limiting/rate-limiting.module';
import { RunsModule } from './modules/runs/runs.module';
import { SharesModule } from './modules/shares/shares.module';
import { UsageModule } from './modules/usage/usage.module';

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
        // No request context: every unit of work forks its own entity manager, so that none can leak into another
        // request.
        await MikroOrmModule.forRoot({
          ...ormOptions(config, pool),
          driver: PostgreSqlDriver,
          registerRequestContext: false,
        }),
        RateLimitingModule,
        AuthModule,
        ModelsModule,
        BillingModule,
        ChecksModule,
        DatasetsModule,
        EvalsModule,
        AnalysisModule,
        CompareModule,
        RunsModule,
        ExperimentsModule,
        SharesModule,
        ...(config.MCP ? [McpModule] : []),
        UsageModule,
        await PaymentsModule.register(config),
        AdminModule,
        HealthModule,
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
