import { render } from 'preact';
import { App, startConnectivity } from './app';
import { storeDraft } from './compare/form/draft';
import { startSession } from './key-link';
import { startKeyboard } from './parts/keyboard';
import { followTheme } from './prefs';
import { startRouter } from './router';

const container = document.getElementById('app');
if (container === null) throw new Error('The page has no element for the application.');
// First of all: a key must not stay in the address.
startSession();
followTheme();
startRouter();
startKeyboard();
startConnectivity();
addEventListener('pagehide', storeDraft);
render(<App />, container);
