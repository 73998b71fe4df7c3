import type { ComponentType } from 'preact';
import { Banner } from './parts/banner';
import { Header } from './parts/header';
import { KeyboardHelp } from './parts/keyboard-help';
import { lazyScreen } from './parts/lazy-screen';
import { StatusLine } from './parts/status-line';
import { isOnline } from './connectivity';
import { route } from './router';
import type { Route } from './routes';
import { CompareScreen } from './screens/compare-screen';
import { KeyScreen } from './screens/key-screen';
import { session } from './session';

const SCREENS: Readonly<Record<Route['name'], ComponentType<{ id: string }>>> = {
  compare: CompareScreen,
  history: lazyScreen(async () => (await import('./screens/history-screen')).HistoryScreen),
  eval: lazyScreen(async () => (await import('./screens/eval-screen')).EvalScreen),
  usage: lazyScreen(async () => (await import('./screens/usage-screen')).UsageScreen),
};

/** The page: the key screen until a key is good, then the screen of the address. */
export function App() {
  const isSignedIn = session.value.kind === 'signed-in';
  return (
    <>
      <a class="skip-link" href="#main">Skip to the content</a>
      <Header />
      {!isOnline.value && <Banner kind="warning">You are offline. The form stays usable; runs need the network.</Banner>}
      <main id="main" tabIndex={-1}>{isSignedIn ? <Screen /> : <KeyScreen />}</main>
      <StatusLine />
      <KeyboardHelp />
    </>
  );
}

function Screen() {
  const shown = route.value;
  const Shown = SCREENS[shown.name];
  const id = shown.name === 'eval' ? shown.id : '';
  return <Shown key={`${shown.name} ${id}`} id={id} />;
}
