import { useLayoutEffect, useRef } from 'preact/hooks';
import { pairRates, PairRateText } from '../choice/pair-rates';
import { TryExample } from '../compare/form/example-prompts';
import { loadModels, models } from '../compare/models/model-list';
import { localDay } from '../dates';
import { ExportButtons } from '../history/export-buttons';
import { HistoryLine } from '../history/history-line';
import { timeOfId } from '../history/history-lines';
import {
  answeredQuery,
  failure,
  isLoading,
  isSearch,
  lines,
  loadMore,
  nextPage,
  query,
  reload,
  search,
} from '../history/history-state';
import { useKeys } from '../parts/keyboard';
import { MissingScope, Skeleton } from '../parts/notices';
import { FailedLoad, Nothing } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { useLoaded } from '../requests';
import { client, hasScope } from '../session';

const SEARCH_AFTER_MS = 300;
/** The service refuses longer ones. */
const MAX_SEARCH_CHARACTERS = 200;

/** Past evals, newest first, and a search in them. */
export function HistoryScreen() {
  return (
    <section class="history">
      <ScreenTitle title="History" />
      {hasScope('evals:read') ? <History /> : <MissingScope scope="evals:read" purpose="to list past evals" />}
    </section>
  );
}

function History() {
  // Before anybody can type: what belonged to another key is forgotten, and what is typed must not be.
  useLayoutEffect(() => {
    void reload();
    if (models.value.length === 0 && hasScope('models:read')) void loadModels();
  }, []);
  const found = lines.value;
  return (
    <>
      <Search />
      <Rates />
      {failure.value !== undefined && (
        <FailedLoad
          error={failure.value}
          onRetry={() => void (found === undefined || nextPage.value === undefined ? reload() : loadMore())}
        />
      )}
      {found === undefined && failure.value === undefined && <Skeleton lines={6} />}
      {found !== undefined && found.length > 0 && (
        <p class="history-heads" aria-hidden="true">
          {['Asked', 'Prompt', 'Models', '', 'Cost', 'Charged'].map((head) => (
            <span key={head}>{head}</span>
          ))}
        </p>
      )}
      {found !== undefined && found.length > 0 && (
        <ul class="history-lines" aria-label="Evals" aria-busy={isLoading.value}>
          {found.map((summary) => (
            <HistoryLine key={summary.eval_id} summary={summary} />
          ))}
        </ul>
      )}
      {found !== undefined && <End found={found.length} />}
    </>
  );
}

function Search() {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  const { text, model, starred } = query.value;
  return (
    <form
      class="history-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search({}, 0);
      }}
    >
      <label class="visually-hidden" for="history-text">
        Search prompts
      </label>
      <input
        id="history-text"
        ref={field}
        type="search"
        placeholder="search prompts"
        autocomplete="off"
        maxLength={MAX_SEARCH_CHARACTERS}
        value={text}
        onInput={(event) => search({ text: event.currentTarget.value }, SEARCH_AFTER_MS)}
      />
      <label class="visually-hidden" for="history-model">
        Model
      </label>
      <select id="history-model" value={model} onChange={(event) => search({ model: event.currentTarget.value }, 0)}>
        <option value="">any model</option>
        {knownModels(model).map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <button type="button" class="star-filter" aria-pressed={starred} onClick={() => search({ starred: !starred }, 0)}>
        <span aria-hidden="true">★</span> Starred
      </button>
      <ExportButtons />
    </form>
  );
}

/** The ids of the catalog and of the shown evals, and the searched id. */
function knownModels(searched: string): string[] {
  const ids = new Set([
    ...models.value.map(({ id }) => id),
    ...(lines.value ?? []).flatMap((line) => line.models),
    ...(searched === '' ? [] : [searched]),
  ]);
  return [...ids].sort();
}

/** The text below the lines: the progress of a search, or an empty state. */
function End({ found }: { found: number }) {
  const next = nextPage.value;
  if (next !== undefined) {
    const back = timeOfId(next.cursor ?? '');
    const isSearching = isSearch(answeredQuery.value);
    const searched = back === undefined ? 'Part of the history was searched.' : `Searched back to ${localDay(back)}.`;
    return (
      <p class="history-end">
        <span>{isSearching && `${found === 0 ? 'Nothing found yet. ' : ''}${searched}`}</span>
        <button type="button" disabled={isLoading.value} onClick={() => void loadMore()}>
          {isSearching ? 'Continue' : 'Show older evals'}
        </button>
      </p>
    );
  }
  if (found > 0)
    return isSearch(answeredQuery.value) ? (
      <p class="history-end">
        <span>The whole history was searched.</span>
      </p>
    ) : null;
  if (isSearch(answeredQuery.value)) {
    return (
      <p class="history-empty">
        No prompt matches.{' '}
        <button type="button" onClick={() => search({ text: '', model: '', starred: false }, 0)}>
          Show all
        </button>
      </p>
    );
  }
  return (
    <Nothing title="No evals yet">
      <p>
        Each compare is kept here with its answers, figures and checks. Later you can search it, run it again, and see
        what has changed.
      </p>
      <TryExample name="Summarize" />
    </Nothing>
  );
}

const SHOWN = 3;

/** How often which model was preferred, above the history; nothing before the first choice. */
function Rates() {
  const loaded = useLoaded((signal) => client().preferences({}, { signal }), []).state.value;
  if (loaded.kind !== 'loaded' || loaded.value.pairs.length === 0) return null;
  const { models } = loaded.value;
  const all = models.map(({ model }) => model);
  return (
    <section class="history-rates" aria-label="Your choices so far">
      <h2>Your choices so far</h2>
      <ul>
        {pairRates(loaded.value)
          .slice(0, SHOWN)
          .map((rate) => (
            <li key={`${rate.better} ${rate.other}`}>
              <PairRateText rate={rate} models={all} />
            </li>
          ))}
      </ul>
    </section>
  );
}
