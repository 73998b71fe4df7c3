import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Ballot, BallotQuery, CompareError, VoteRequest } from '../../client/client';
import { Fold } from '../parts/fold';
import { useKeys } from '../parts/keyboard';
import { announce } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { asCompareError } from '../requests';
import { experimentPath } from '../routes';
import { client, publicClient } from '../session';
import { browserStore, readText, writeText } from '../storage';
import { useLatest } from './use-pages';
import { CHOICES, progressText } from './votes';

const NAME = 'mcs.voter';

/** Votes of a key on the items of an experiment of judges. */
export function VoteScreen({ id }: { id: string }) {
  return (
    <section class="experiments">
      <ScreenTitle title="Vote" />
      <Voting
        load={(options) => client().experiments.ballot(id, options)}
        vote={(body) => client().experiments.vote(id, body)}
        back={experimentPath(id)}
      />
    </section>
  );
}

/** Votes through a link, under a name that this browser keeps. */
export function SharedVoteScreen({ id: token }: { id: string }) {
  const voter = useSignal(readText(browserStore, NAME) ?? '');
  const name = voter.value;
  const begin = (event: { currentTarget: HTMLFormElement; preventDefault: () => void }): void => {
    event.preventDefault();
    voter.value = (event.currentTarget.querySelector('input')?.value ?? '').trim();
    writeText(browserStore, NAME, voter.value);
  };
  return (
    <section class="experiments">
      <ScreenTitle title="Vote" />
      {name === '' && <p>You see answers without names of models. Stop whenever you like: each vote counts.</p>}
      <form class="experiment-actions" onSubmit={begin}>
        <label for="voter">Your name</label>
        <input id="voter" class="voter" required maxLength={60} autocomplete="name" value={name} />
        <button type="submit">{name === '' ? 'Begin' : 'Change'}</button>
      </form>
      {name !== '' && (
        <Voting
          key={name}
          load={(options) => publicClient().shares.ballot(token, name, options)}
          vote={(body) => publicClient().shares.vote(token, { ...body, voter: name })}
          back={`/shared/${token}`}
        />
      )}
    </section>
  );
}

interface VotingProps {
  load: (options: BallotQuery & { signal: AbortSignal }) => Promise<Ballot>;
  vote: (body: VoteRequest) => Promise<unknown>;
  back: string;
}

/** One ballot after the other, each for one vote; what is skipped comes again in the end. */
function Voting({ load, vote, back }: VotingProps) {
  const turn = useSignal({ skip: 0 });
  const sent = useRef<string | null>(null);
  const failed = useSignal<CompareError | undefined>(undefined);
  const { skip } = turn.value;
  const { value: shown, error = failed.value } = useLatest(
    async (signal) => ({ ...(await load({ skip, signal })), skipped: skip }),
    [turn.value],
  );
  useEffect(() => {
    if (shown === undefined) return;
    scrollTo(0, 0);
    announce(progressText(shown));
  }, [shown]);
  const next = (count: number): void => {
    failed.value = undefined;
    turn.value = { skip: count };
  };
  const send = async (winner: VoteRequest['winner'] | undefined): Promise<void> => {
    const ballot = shown?.ballot ?? null;
    // A second press of a key would vote again on what is still shown.
    if (ballot === null || ballot === sent.current) return;
    sent.current = ballot;
    try {
      if (winner !== undefined) await vote({ ballot, winner });
      next(winner === undefined ? skip + 1 : skip);
    } catch (refusal) {
      [failed.value, sent.current] = [asCompareError(refusal), null];
    }
  };
  return (
    <>
      {error !== undefined && <FailedLoad error={error} onRetry={() => next(skip)} />}
      {shown?.ballot === null && (
        <p>
          You voted on {progressText(shown)}. Thank you!{' '}
          {shown.skipped > 0 && (
            <button type="button" onClick={() => next(0)}>
              Show skipped ones
            </button>
          )}
        </p>
      )}
      {shown && shown.ballot !== null && <OneBallot shown={shown} send={send} />}
      <p>
        <a href={back}>To the figures</a>
      </p>
    </>
  );
}

interface OneBallotProps {
  shown: Ballot & { skipped: number };
  send: (winner: VoteRequest['winner'] | undefined) => Promise<void>;
}

/** The question and answers without names. All of it is text of others, so it is shown without formatting. */
function OneBallot({ shown, send }: OneBallotProps) {
  const { ballot, kind, criterion, input, expected, answers } = shown;
  const choices = CHOICES[kind].map(([key, winner, label]) => ({
    key,
    label,
    choose: () => void send(winner),
  }));
  useKeys(Object.fromEntries(choices.map(({ key, choose }) => [key, choose])));
  return (
    <>
      <p class="quiet number">{progressText(shown)}</p>
      <Part title={kind === 'pairwise' ? 'Which answer is better?' : 'Is this answer good enough?'} text={criterion} />
      {input !== null && <Part title="Question" text={input} />}
      {expected !== null && (
        <Fold key={ballot} class="experiment-prompt" summary="Reference answer">
          {() => <p dir="auto">{expected}</p>}
        </Fold>
      )}
      <div class="vote-answers">
        {answers.map((text, index) => (
          <Part key={index} title={`Answer ${index + 1}`} text={text} />
        ))}
      </div>
      <div class="experiment-actions vote-buttons" role="group" aria-label="Your vote">
        {choices.map(({ key, label, choose }) => (
          <button key={key} type="button" aria-keyshortcuts={key} onClick={choose}>
            {label} <kbd aria-hidden="true">{key}</kbd>
          </button>
        ))}
      </div>
    </>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  return (
    <section class="matrix-whole" aria-label={title}>
      <h2>{title}</h2>
      <p dir="auto" class="experiment-text">
        {text}
      </p>
    </section>
  );
}
