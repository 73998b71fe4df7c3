import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../../common/errors';
import { hashOf } from '../../auth/token.format';
import type { ExperimentVote } from './experiment-vote.entity';

const PREFIX = 'mcs_ballot_';
const FORM = /^(mcs_ballot_[\w-]+)\.[\w-]{43}$/;
const TTL_MS = 3_600_000;

/** An item that was drawn for a voter. */
export interface Ballot extends Pick<ExperimentVote, 'experimentId' | 'rowNo' | 'itemNo' | 'voter' | 'isRandom'> {
  /** True if the second model of the item is shown as answer 1. */
  isSwapped: boolean;
}

/** A ballot as a signed text, good for an hour from `now`; a hash in it stands for the voter. */
export function sealBallot(ballot: Ballot, now: Date, pepper: string): string {
  const sealed = { ...ballot, voter: digest(ballot.voter), expiresAt: now.getTime() + TTL_MS };
  return signed(PREFIX + Buffer.from(JSON.stringify(sealed)).toString('base64url'), pepper);
}

/** The ballot of a voter, signed under one of the peppers. @throws ApiError invalid_request if it is not one or has expired */
export function openBallot(
  token: string,
  { experimentId, voter }: Pick<Ballot, 'experimentId' | 'voter'>,
  now: Date,
  peppers: readonly string[],
): Ballot {
  const text = FORM.exec(token)?.[1];
  if (text === undefined) throw refused('ballot must be the text that GET …/ballot gave; send it unchanged.');
  // Both have the same length: what differs are 43 characters.
  if (!peppers.some((pepper) => timingSafeEqual(Buffer.from(token), Buffer.from(signed(text, pepper)))))
    throw refused('This ballot was changed, or is not of this service; get another one and send it unchanged.');
  const json = Buffer.from(text.slice(PREFIX.length), 'base64url').toString();
  const { expiresAt, ...ballot } = JSON.parse(json) as Ballot & { expiresAt: number };
  if (ballot.experimentId !== experimentId)
    throw refused('This ballot belongs to another experiment; get one of this experiment.');
  if (ballot.voter !== digest(voter))
    throw refused('This ballot was drawn for another voter; get one with the key or name that votes.');
  if (expiresAt <= now.getTime()) throw refused('This ballot has expired after an hour; get another one.');
  return { ...ballot, voter };
}

function signed(text: string, pepper: string): string {
  return `${text}.${Buffer.from(hashOf(text, pepper), 'hex').toString('base64url')}`;
}

function digest(voter: string): string {
  return createHash('sha256').update(voter).digest('hex').slice(0, 16);
}

function refused(message: string): ApiError {
  return new ApiError('invalid_request', { message, param: 'ballot' });
}
