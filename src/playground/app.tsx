import type { ComponentType } from 'preact';
import type { Scope } from '../client/client';
import { isOnline } from './connectivity';
import { Banner } from './parts/banner';
import { Header } from './parts/header';
import { KeyboardHelp } from './parts/keyboard-help';
import { lazyScreen } from './parts/lazy-screen';
import { MissingScope } from './parts/missing-scope';
import { ScreenTitle } from './parts/screen-title';
import { StatusLine } from './parts/status-line';
import { route } from './router';
import type { Route } from './routes';
import { CompareScreen } from './screens/compare-screen';
import { KeyScreen } from './screens/key-screen';
import { hasScope, session } from './session';

interface ScreenOfRoute {
  Shown: ComponentType<{ id: string }>;
  title: string;
  /** What the key must be able to do, and for what. */
  scope: Scope;
  purpose: string;
}

const SCREENS: Readonly<Record<Route['name'], ScreenOfRoute>> = {
  compare: { Shown: CompareScreen, title: 'Compare', scope: 'compare', purpose: 'to compare models' },
  history: { Shown: lazyScreen(async () => (await import('./screens/history-screen')).HistoryScreen), title: 'History', scope: 'evals:read', purpose: 'to list past evals' },
  eval: { Shown: lazyScreen(async () => (await import('./screens/eval-screen')).EvalScreen), title: 'Eval', scope: 'evals:read', purpose: 'to read an eval' },
  usage: { Shown: lazyScreen(async () => (await import('./screens/usage-screen')).UsageScreen), title: 'Usage', scope: 'usage:read', purpose: 'to read the usage' },
};

/** The page: the key screen until a key is good, then the screen of the address. */
export function App() {
  return (
    <>
      <a class="skip-link" href="#main" onClick={skipToMain}>Skip to the content</a>
      <Header />
      <div role="status" class="page-state">{!isOnline.value && <Banner kind="warning" page>You are offline. The form stays usable; a run needs the network.</Banner>}</div>
      <main id="main" tabIndex={-1}>{session.value.kind === 'signed-in' ? <Screen /> : <KeyScreen />}</main>
      <StatusLine />
      <KeyboardHelp />
    </>
  );
}

function Screen() {
  const shown = route.value;
  const { Shown, title, scope, purpose } = SCREENS[shown.name];
  const id = shown.name === 'eval' ? shown.id : '';
  if (!hasScope(scope)) return <section class="missing-scope" key={shown.name}><ScreenTitle title={title} /><MissingScope scope={scope} purpose={purpose} /></section>;
  return <Shown key={`${shown.name} ${id}`} id={id} />;
}

/** Not by the address, whose fragment fills the form. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
