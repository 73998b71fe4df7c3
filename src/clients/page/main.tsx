import { render } from 'preact';
import { App } from './app';
import { storeDraft } from './draft';
import { startSession } from './key-link';
import { startKeyboard } from './keyboard';
import { startConnectivity } from './connectivity';
import { startRouter } from './router';
import { followTheme } from './theme';

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
