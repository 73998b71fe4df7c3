import type { In, MoneyFormat } from './amounts';
import type * as Api from './api.gen';
import { Pages } from './pages';
import type { Call, CallOptions, Transport } from './transport';

/**
 * Users, their keys and usage, the audit log and meter events; for the operator's key only. What adds something is sent
 * again only when it certainly did nothing.
 */
export class Admin<Format extends MoneyFormat> {
  constructor(private readonly transport: Transport) {}

  createUser(
    body: Api.AdminCreateUserData['body'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminCreateUserResponse>> {
    return this.call('POST', ['users'], { body }, options);
  }

  listUsers(
    query?: Api.AdminListUsersData['query'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminListUsersResponse>> {
    return this.call('GET', ['users'], { query }, options);
  }

  getUser(userId: string, options?: CallOptions): Promise<In<Format, Api.AdminGetUserResponse>> {
    return this.call('GET', ['users', userId], {}, options);
  }

  updateUser(
    userId: string,
    body: Api.AdminUpdateUserData['body'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminUpdateUserResponse>> {
    return this.call('PATCH', ['users', userId], { body }, options);
  }

  /** Issues a key; only this answer contains it. */
  issueKey(
    userId: string,
    body: Api.AdminIssueKeyData['body'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminIssueKeyResponse>> {
    return this.call('POST', ['users', userId, 'keys'], { body }, options);
  }

  listKeys(userId: string, options?: CallOptions): Promise<In<Format, Api.AdminListKeysResponse>> {
    return this.call('GET', ['users', userId, 'keys'], {}, options);
  }

  /** Corrects a month's charge by a new row. */
  adjust(
    userId: string,
    body: Api.AdminAdjustData['body'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminAdjustResponse>> {
    return this.call('POST', ['users', userId, 'adjustments'], { body }, options);
  }

  /** A user's usage record of a month, as the user sees it. */
  getUsage(
    userId: string,
    query?: Api.AdminGetUsageData['query'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminGetUsageResponse>> {
    return this.call('GET', ['users', userId, 'usage'], { query }, options);
  }

  getKey(keyId: string, options?: CallOptions): Promise<In<Format, Api.AdminGetKeyResponse>> {
    return this.call('GET', ['keys', keyId], {}, options);
  }

  updateKey(
    keyId: string,
    body: Api.AdminUpdateKeyData['body'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminUpdateKeyResponse>> {
    return this.call('PATCH', ['keys', keyId], { body }, options);
  }

  revokeKey(keyId: string, options?: CallOptions): Promise<void> {
    return this.call('DELETE', ['keys', keyId], {}, options);
  }

  /** Replaces a key; only this answer contains the new one. */
  rotateKey(
    keyId: string,
    body: Api.AdminRotateKeyData['body'] = {},
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminRotateKeyResponse>> {
    return this.call('POST', ['keys', keyId, 'rotate'], { body }, options);
  }

  /** Who changed what, newest first. */
  listAuditEntries(
    query?: Api.AdminListAuditEntriesData['query'],
    options?: CallOptions,
  ): Pages<Api.AdminListAuditEntriesResponse, Api.AdminListAuditEntriesResponse['entries'][number]> {
    return new Pages(this.transport, { ...options, path: '/api/v1/admin/audit', query: query ?? {} }, 'entries');
  }

  /** Charges on their way to Stripe, by state, newest first. */
  listMeterEvents(
    query?: Api.AdminListMeterEventsData['query'],
    options?: CallOptions,
  ): Pages<In<Format, Api.AdminListMeterEventsResponse>, In<Format, Api.MeterEvent>> {
    return new Pages(this.transport, { ...options, path: '/api/v1/admin/meter-events', query: query ?? {} }, 'events');
  }

  /** Sends a parked meter event again, which certainly did not arrive. */
  resendMeterEvent(
    chargeId: string,
    body: Api.AdminResendMeterEventData['body'],
    options?: CallOptions,
  ): Promise<In<Format, Api.AdminResendMeterEventResponse>> {
    return this.call('POST', ['meter-events', chargeId, 'resend'], { body }, options);
  }

  private call<T>(
    method: Call['method'],
    path: readonly string[],
    content: Pick<Call, 'body' | 'query'>,
    options: CallOptions = {},
  ): Promise<T> {
    return this.transport.json({
      ...options,
      ...content,
      method,
      path: `/api/v1/admin/${path.map(encodeURIComponent).join('/')}`,
    });
  }
}
