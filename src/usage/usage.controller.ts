import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../auth/auth.decorators';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { ApiAnswers } from '../common/api-answers.decorator';
import { Clock } from '../common/clock';
import { Month } from '../common/month';
import { UsageDto, UsageQuery } from './usage.dto';

@ApiTags('usage')
@Controller('usage')
export class UsageController {
  constructor(
    private readonly billing: BillingService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: "Read a month's usage and charge", description: 'A month in which nothing was run answers zeros.' })
  @ApiAnswers(UsageDto, { errors: ['invalid_request'] })
  async get(@CurrentCaller() caller: Caller, @Query() query: UsageQuery): Promise<UsageDto> {
    const month = Month.parse(query.month ?? '') ?? Month.of(this.clock.now());
    return UsageDto.from(caller, await this.billing.month(caller, month), this.billing.pricing());
  }
}
