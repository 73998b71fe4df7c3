import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../audit/actor';
import { AccountsService } from '../auth/accounts.service';
import { CurrentActor, AdminOnly } from '../auth/auth.decorators';
import { accountOf } from '../auth/caller';
import { LedgerService } from '../billing/ledger.service';
import { Clock } from '../../common/clock';
import { Money } from '../../common/money';
import { Month } from '../../common/month';
import { Config } from '../../platform/config/config';
import { ApiBodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { MonthQuery } from '../usage/statement.dto';
import { UsageDto } from '../usage/usage.dto';
import {
  AdjustmentDto,
  AdjustmentRequest,
  CreateUserRequest,
  UserDto,
  UserListDto,
  UserListQuery,
  UserSettingsRequest,
} from './admin.dto';
import {
  ADJUSTMENT_EXAMPLES,
  CREATE_USER_EXAMPLES,
  ISSUE_KEY_EXAMPLES,
  KEY_ID,
  ROTATE_KEY_EXAMPLES,
  UPDATE_KEY_EXAMPLES,
  UPDATE_USER_EXAMPLES,
  USER_ID,
} from './admin.openapi';
import { IssuedKeyDto, IssueKeyRequest, KeyDto, KeyListDto, KeySettingsRequest, RotateKeyRequest } from './keys.dto';
import type { FastifyReply } from 'fastify';
import { AuditService } from '../audit/audit.service';
import { AuditEntryDto, AuditListDto, AuditQuery } from './audit.dto';

@ApiTags('admin')
@AdminOnly()
@Controller('admin')
export class AdminController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly ledger: LedgerService,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  @Post('users')
  @ApiOperation({ summary: 'Create a user', description: 'A user has no key at first; issue one next.' })
  @ApiBodyExamples(CreateUserRequest, CREATE_USER_EXAMPLES)
  @ApiResponses(UserDto, { status: 201, errors: ['invalid_request', 'invalid_json', 'forbidden', 'conflict'] })
  async createUser(@CurrentActor() actor: Actor, @Body() body: CreateUserRequest): Promise<UserDto> {
    return UserDto.from(await this.accounts.createUser(actor, body.email, body.toSettings()));
  }

  @Get('users')
  @ApiOperation({ summary: 'List users', description: 'Oldest first; with `email`, at most one.' })
  @ApiResponses(UserListDto, { errors: ['invalid_request', 'forbidden'] })
  async listUsers(@Query() query: UserListQuery): Promise<UserListDto> {
    return { users: (await this.accounts.listUsers(query)).map((user) => UserDto.from(user)) };
  }

  @Get('users/:id')
  @ApiOperation({ summary: 'Get a user', description: 'The user with their settings.' })
  @ApiParam(USER_ID)
  @ApiResponses(UserDto, { errors: ['forbidden', 'not_found'] })
  async getUser(@Param('id') id: string): Promise<UserDto> {
    return UserDto.from(await this.accounts.getUser(id));
  }

  @Patch('users/:id')
  @ApiOperation({ summary: "Change a user's settings", description: 'Absent members are left unchanged.' })
  @ApiParam(USER_ID)
  @ApiBodyExamples(UserSettingsRequest, UPDATE_USER_EXAMPLES)
  @ApiResponses(UserDto, { errors: ['invalid_request', 'invalid_json', 'forbidden', 'not_found'] })
  async updateUser(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: UserSettingsRequest,
  ): Promise<UserDto> {
    return UserDto.from(await this.accounts.updateUser(actor, id, body.toSettings()));
  }

  @Post('users/:id/keys')
  @ApiOperation({ summary: 'Issue a key', description: 'The response contains the key; it cannot be retrieved again.' })
  @ApiParam(USER_ID)
  @ApiBodyExamples(IssueKeyRequest, ISSUE_KEY_EXAMPLES)
  @ApiResponses(IssuedKeyDto, { status: 201, errors: ['invalid_request', 'invalid_json', 'forbidden', 'not_found'] })
  async issueKey(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: IssueKeyRequest,
  ): Promise<IssuedKeyDto> {
    return IssuedKeyDto.issued(await this.accounts.issueKey(actor, id, body.name, body.toSettings()));
  }

  @Get('users/:id/keys')
  @ApiOperation({ summary: "List a user's keys", description: 'Newest first, with those that are revoked or expired.' })
  @ApiParam(USER_ID)
  @ApiResponses(KeyListDto, { errors: ['forbidden', 'not_found'] })
  async listKeys(@Param('id') id: string): Promise<KeyListDto> {
    return { keys: (await this.accounts.listKeys(id)).map((key) => KeyDto.from(key)) };
  }

  @Get('users/:id/usage')
  @ApiOperation({
    summary: "Get a user's usage and charge in a month",
    description: 'The response of GET /usage to the user. All zeros for a month without evals.',
  })
  @ApiParam(USER_ID)
  @ApiResponses(UsageDto, { errors: ['invalid_request', 'forbidden', 'not_found'] })
  async getUsage(@Param('id') id: string, @Query() { month }: MonthQuery): Promise<UsageDto> {
    const account = accountOf(await this.accounts.getUser(id), this.config);
    return UsageDto.from(
      account,
      await this.ledger.month(account, Month.parse(month ?? '') ?? Month.of(this.clock.now())),
      this.ledger.pricing(),
    );
  }

  @Post('users/:id/adjustments')
  @ApiOperation({
    summary: "Correct a user's charge",
    description: 'Charges are never modified; a correction is a new charge, counted in the given month.',
  })
  @ApiParam(USER_ID)
  @ApiBodyExamples(AdjustmentRequest, ADJUSTMENT_EXAMPLES)
  @ApiResponses(AdjustmentDto, { status: 201, errors: ['invalid_request', 'invalid_json', 'forbidden', 'not_found'] })
  async adjust(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: AdjustmentRequest,
  ): Promise<AdjustmentDto> {
    const { id: userId } = await this.accounts.getUser(id);
    return AdjustmentDto.from(
      await this.ledger.adjust(
        actor,
        userId,
        Money.fromNumber(body.amount_usd),
        body.reason,
        Month.parse(body.month ?? ''),
      ),
    );
  }

  @Get('keys/:id')
  @ApiOperation({
    summary: 'Get a key',
    description: 'The key with its settings, without its secret; also if it is revoked or expired.',
  })
  @ApiParam(KEY_ID)
  @ApiResponses(KeyDto, { errors: ['forbidden', 'not_found'] })
  async getKey(@Param('id') id: string): Promise<KeyDto> {
    return KeyDto.from(await this.accounts.getKey(id));
  }

  @Patch('keys/:id')
  @ApiOperation({ summary: "Change a key's limits", description: 'Absent members are left unchanged.' })
  @ApiParam(KEY_ID)
  @ApiBodyExamples(KeySettingsRequest, UPDATE_KEY_EXAMPLES)
  @ApiResponses(KeyDto, { errors: ['invalid_request', 'invalid_json', 'forbidden', 'not_found'] })
  async updateKey(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: KeySettingsRequest,
  ): Promise<KeyDto> {
    return KeyDto.from(await this.accounts.updateKey(actor, id, body.toSettings()));
  }

  @Delete('keys/:id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Revoke a key',
    description: 'The key stops working within one second. Revoking a revoked key has no effect.',
  })
  @ApiParam(KEY_ID)
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'forbidden', 'not_found'] })
  async revokeKey(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    await this.accounts.revokeKey(actor, id);
  }

  @Post('keys/:id/rotate')
  @ApiOperation({
    summary: 'Replace a key',
    description: 'A new key with the same settings; the old one works for overlap_seconds. The body is optional.',
  })
  @ApiParam(KEY_ID)
  @ApiBodyExamples(RotateKeyRequest, ROTATE_KEY_EXAMPLES, { required: false })
  @ApiResponses(IssuedKeyDto, {
    status: 201,
    errors: ['invalid_request', 'invalid_json', 'forbidden', 'not_found', 'conflict'],
  })
  async rotateKey(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: RotateKeyRequest,
  ): Promise<IssuedKeyDto> {
    return IssuedKeyDto.issued(await this.accounts.rotateKey(actor, id, body.overlap_seconds ?? 0));
  }

  @Get('audit')
  @ApiOperation({
    operationId: 'admin_listAuditEntries',
    summary: 'List audit log entries',
    description: 'Newest first. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiResponses(AuditListDto, { errors: ['invalid_request', 'forbidden'], headers: ['Link'] })
  async listAuditEntries(
    @Query() { limit, target, cursor }: AuditQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditListDto> {
    const page = await this.audit.list(limit, target, cursor);
    const filter = target === undefined ? '' : `&target=${encodeURIComponent(target)}`;
    if (page.next !== undefined)
      reply.header('link', `</api/v1/admin/audit?limit=${limit}${filter}&cursor=${page.next}>; rel="next"`);
    return { entries: page.items.map((entry) => AuditEntryDto.from(entry)), limit };
  }
}
