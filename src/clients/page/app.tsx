import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import {
  EvalScreen,
  ExperimentListScreen,
  ExperimentScreen,
  HistoryScreen,
  NewExperimentScreen,
  SharedScreen,
  SharedVoteScreen,
  UsageScreen,
  VoteScreen,
} from './chunks';
import { linkNotice } from './key-link';
import { Header } from './parts/header';
import { KeyboardHelp } from './parts/keyboard';
import { announce, Banner, MissingScope, StatusLine } from './parts/notices';
import { ScreenTitle } from './parts/screen-title';
import { route } from './router';
import type { Route } from './routes';
import { CompareScreen } from './screens/compare-screen';
import { KeyDialog, KeyScreen } from './screens/key-screen';
import { hasScope, keyInUse, session } from './session';

const SCREENS: Readonly<Record<Route['name'], ComponentType<{ id: string }>>> = {
  compare: Compare,
  history: HistoryScreen,
  eval: EvalScreen,
  shared: SharedScreen,
  experiments: ExperimentListScreen,
  'new-experiment': NewExperimentScreen,
  experiment: ExperimentScreen,
  vote: VoteScreen,
  'shared-vote': SharedVoteScreen,
  usage: UsageScreen,
};

/**
 * The page: the key screen until a key is good, then the screen of the address, which stays when the key is refused.
 * What is shared needs no key.
 */
export function App() {
  return (
    <>
      <a class="skip-link" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Header />
      <Offline />
      <LinkNotice />
      {keyInUse.value !== undefined && session.value.kind !== 'signed-in' && <KeyDialog />}
      <main id="main" tabIndex={-1}>
        {keyInUse.value !== undefined || route.value.name.startsWith('shared') ? <Screen /> : <KeyScreen />}
      </main>
      <StatusLine />
      <KeyboardHelp />
    </>
  );
}

function Offline() {
  if (isOnline.value) return null;
  return (
    <section aria-label="Connection">
      <Banner kind="warning" page>
        {OFFLINE}
      </Banner>
    </section>
  );
}

function LinkNotice() {
  if (linkNotice.value === undefined) return null;
  return (
    <section aria-label="Key of the link">
      <Banner kind="note" page>
        {linkNotice.value}{' '}
        <button
          type="button"
          onClick={() => {
            linkNotice.value = undefined;
          }}
        >
          Close
        </button>
      </Banner>
    </section>
  );
}

function Screen() {
  const shown = route.value;
  const Shown = SCREENS[shown.name];
  const id = 'id' in shown ? shown.id : '';
  // With another key everything is asked for again.
  return <Shown key={`${shown.name} ${id} ${keyInUse.value?.prefix ?? ''}`} id={id} />;
}

function Compare() {
  if (hasScope('compare')) return <CompareScreen />;
  return (
    <section class="missing-scope">
      <ScreenTitle title="Compare" />
      <MissingScope scope="compare" purpose="to compare models" />
    </section>
  );
}

/** Not by the address, whose fragment fills the form. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** The text on every screen, also announced, while there is no network. */
const OFFLINE = 'You are offline. The form stays usable; a run needs the network.';

/** True if the device reports a network. It may be wrong in both ways, so no action depends on it. */
const isOnline = signal(true);

/** Follows the device. */
export function startConnectivity(): void {
  const follow = (): void => {
    if (isOnline.value === navigator.onLine) return;
    isOnline.value = navigator.onLine;
    announce(navigator.onLine ? 'You are online again.' : OFFLINE);
  };
  addEventListener('online', follow);
  addEventListener('offline', follow);
  follow();
}
