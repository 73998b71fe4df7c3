import type { ShareRequest } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { firstOf, partsOf } from '../lists';
import { numberOf } from '../request';

/** Options of `mcs share`. */
export interface ShareCommandOptions extends CommonOptions {
  redact?: string;
  days?: string;
  texts?: boolean;
  votes?: boolean;
}

/** mcs share: a link to an eval or an experiment, for people without a key; it is shown this once. */
export async function shareCommand(
  { mcs, terminal, settings }: Context,
  id: string,
  { redact, days, texts, votes, json }: ShareCommandOptions,
): Promise<number> {
  const share = await mcs.shares.create({
    subject: id,
    ...(redact !== undefined && { redact: partsOf(redact) as ShareRequest['redact'] }),
    ...(texts === true && { texts }),
    ...(votes === true && { votes }),
    ...(days !== undefined && { expires_in_days: numberOf('--days', days) }),
  });
  if (json === true) terminal.printJson(share);
  else {
    // Who votes should not see the figures first.
    terminal.print(`${settings.url}${share.url}${votes === true ? '/vote' : ''}`);
    terminal.note(
      `Anyone with this link can see it${votes === true ? ' and vote' : ''}. To revoke it: mcs unshare ${share.share_id}`,
    );
  }
  return EXIT.done;
}

/** mcs shares: the links there are, newest first. */
export async function sharesCommand({ mcs, terminal }: Context, { json }: CommonOptions): Promise<number> {
  const shares = await firstOf(Infinity, (query) => mcs.shares.list(query));
  terminal.printList(
    json,
    { shares },
    {
      head: ['share', 'subject', 'hides', 'expires', 'views', 'state'],
      lines: shares.map((share) => [
        share.share_id,
        share.subject,
        share.redact.join(','),
        terminal.isWatched ? share.expires_at.slice(0, 10) : share.expires_at,
        String(share.views),
        share.status,
      ]),
      right: [4],
      optional: [1, 4, 2],
    },
  );
  return EXIT.done;
}

/** mcs unshare: ends a link at once. */
export async function unshareCommand({ mcs, terminal }: Context, id: string): Promise<number> {
  await mcs.shares.revoke(id);
  terminal.note('The link no longer works.');
  return EXIT.done;
}
