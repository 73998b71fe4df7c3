import { Readable } from 'node:stream';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AccountsService } from '../auth/accounts.service';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { LedgerService } from '../billing/ledger.service';
import { Clock } from '../../common/clock';
import { Month } from '../../common/month';
import { prefetchFirst } from '../../common/prefetch-first';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { prefers } from '../../platform/http/content-negotiation';
import { CSV_EXAMPLE, toCsv, toJson } from './statement';
import { BreakdownDto, BreakdownQuery, MonthQuery, StatementDto } from './statement.dto';
import { UsageDto } from './usage.dto';

@ApiTags('usage')
@Controller('usage')
export class UsageController {
  constructor(
    private readonly ledger: LedgerService,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequiresScope('usage:read')
  @ApiOperation({ summary: "Get a month's usage and charge", description: 'All zeros for a month without evals.' })
  @ApiResponses(UsageDto, { errors: ['invalid_request', 'insufficient_scope'] })
  async get(@Req() { caller }: AuthenticatedRequest, @Query() query: MonthQuery): Promise<UsageDto> {
    return UsageDto.from(caller, await this.ledger.month(caller, this.monthOf(query)), this.ledger.pricing());
  }

  @Get('statement')
  @RequiresScope('usage:read')
  @ApiOperation({
    summary: "Get a month's statement",
    description:
      'One line per eval and correction, and the total, which equals GET /usage to the last digit. With `Accept: text/csv` the response is CSV.',
  })
  @ApiResponses(StatementDto, {
    description: 'The statement, as JSON or, with `Accept: text/csv`, as CSV.',
    errors: ['invalid_request', 'insufficient_scope'],
    headers: ['Content-Disposition'],
    otherContent: {
      'text/csv': {
        schema: { type: 'string', description: 'RFC 4180 with a header line; the last line is the total.' },
        example: CSV_EXAMPLE,
      },
    },
  })
  async statement(
    @Req() request: AuthenticatedRequest,
    @Query() query: MonthQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const month = this.monthOf(query);
    const charges = await prefetchFirst(this.ledger.statement(request.caller, month));
    const isCsv = prefers(request, 'text/csv');
    if (isCsv) reply.header('content-disposition', `attachment; filename="statement-${month.toString()}.csv"`);
    reply.type(isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8');
    return Readable.from(isCsv ? toCsv(charges) : toJson(month.toString(), charges));
  }

  @Get('breakdown')
  @RequiresScope('usage:read')
  @ApiOperation({
    summary: 'Break a month down by model, day or key',
    description: 'Evals, tokens, cost and charge of each, without corrections.',
  })
  @ApiResponses(BreakdownDto, { errors: ['invalid_request', 'insufficient_scope'] })
  async breakdown(@Req() { caller }: AuthenticatedRequest, @Query() query: BreakdownQuery): Promise<BreakdownDto> {
    const month = this.monthOf(query);
    const keys = query.by === 'key' ? await this.accounts.listKeys(caller.userId) : [];
    return BreakdownDto.from(
      month.toString(),
      query.by,
      await this.ledger.breakdown(caller, month, query.by),
      new Map(keys.map(({ id, name }) => [id, name])),
    );
  }

  private monthOf({ month }: MonthQuery): Month {
    return Month.parse(month ?? '') ?? Month.of(this.clock.now());
  }
}
