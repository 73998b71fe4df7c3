import { Controller, Get, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountsService } from '../auth/accounts.service';
import { AnyScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { LedgerService } from '../billing/ledger.service';
import { Clock } from '../../common/clock';
import { Month } from '../../common/month';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { KeyInUseDto } from './key.dto';

/** GET /key, which says what a key may do instead of having its owner find out by refusals. */
@ApiTags('key')
@Controller('key')
export class KeyController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly ledger: LedgerService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @AnyScope()
  @ApiOperation({
    summary: 'Get the key in use',
    description: 'What the key of the request may do, and what is left of its limits. Every live key may ask.',
  })
  @ApiResponses(KeyInUseDto)
  async get(@Req() { caller }: AuthenticatedRequest): Promise<KeyInUseDto> {
    const [key, remaining] = await Promise.all([
      this.accounts.getKey(caller.keyId),
      this.ledger.remaining(caller, Month.of(this.clock.now())),
    ]);
    return KeyInUseDto.from(key, remaining);
  }
}
