import { Injectable, Module } from '@nestjs/common';
import { AccountsModule } from '../../auth/accounts.module';
import { AccountsService } from '../../auth/accounts.service';
import { accountOf } from '../../auth/caller';
import { LedgerModule } from '../../billing/ledger.module';
import { LedgerService } from '../../billing/ledger.service';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { Month } from '../../common/month';
import { UsageDto } from '../../usage/usage.dto';

/** A user's month, as GET /usage answers it to the user. */
@Injectable()
export class UsageReport {
  constructor(
    private readonly accounts: AccountsService,
    private readonly ledger: LedgerService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The current month by default. @throws ApiError not_found */
  async of(userId: string, month: string | undefined): Promise<UsageDto> {
    const account = accountOf(await this.accounts.getUser(userId), this.config);
    return UsageDto.from(account, await this.ledger.month(account, Month.parse(month ?? '') ?? Month.of(this.clock.now())), this.ledger.pricing());
  }
}

@Module({ imports: [AccountsModule, LedgerModule], providers: [UsageReport] })
export class UsageReportModule {}
