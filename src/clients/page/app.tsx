import type { ComponentType } from 'preact';
import { isOnline, OFFLINE } from './connectivity';
import { linkNotice } from './key-link';
import { withLaterStyles } from './load-style';
import { Banner } from './parts/banner';
import { Header } from './parts/header';
import { KeyDialog } from './parts/key-dialog';
import { KeyboardHelp } from './parts/keyboard-help';
import { lazyPart } from './parts/lazy-part';
import { MissingScope } from './parts/missing-scope';
import { ScreenTitle } from './parts/screen-title';
import { StatusLine } from './parts/status-line';
import { route } from './router';
import type { Route } from './routes';
import { CompareScreen } from './screens/compare-screen';
import { KeyScreen } from './screens/key-screen';
import { hasScope, keyInUse, session } from './session';

const SCREEN = { isScreen: true };
const SCREENS: Readonly<Record<Route['name'], ComponentType<{ id: string }>>> = {
  compare: Compare,
  history: lazyPart(async () => (await withLaterStyles(import('./screens/record-screens'))).HistoryScreen, SCREEN),
  eval: lazyPart(async () => (await withLaterStyles(import('./screens/record-screens'))).EvalScreen, SCREEN),
  shared: lazyPart(async () => (await withLaterStyles(import('./share/shared-screen'))).SharedScreen, SCREEN),
  experiments: lazyPart(
    async () => (await withLaterStyles(import('./experiments/experiment-screens'))).ExperimentListScreen,
    SCREEN,
  ),
  'new-experiment': lazyPart(
    async () => (await withLaterStyles(import('./experiments/new-experiment-screen'))).NewExperimentScreen,
    SCREEN,
  ),
  experiment: lazyPart(
    async () => (await withLaterStyles(import('./experiments/experiment-screens'))).ExperimentScreen,
    SCREEN,
  ),
  usage: lazyPart(async () => (await withLaterStyles(import('./screens/record-screens'))).UsageScreen, SCREEN),
};

/**
 * The page: the key screen until a key is good, then the screen of the address, which stays when the key is refused.
 * Shared evals need no key.
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
        {keyInUse.value !== undefined || route.value.name === 'shared' ? <Screen /> : <KeyScreen />}
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
