import { render } from 'preact';
import { App } from './app';
import { storeDraft } from './draft';
import { startKeyboard } from './keyboard';
import { startConnectivity } from './connectivity';
import { startRouter } from './router';
import { resumeSession } from './session';
import { followTheme } from './theme';

const container = document.getElementById('app');
if (container === null) throw new Error('The page has no element for the application.');
followTheme();
startRouter();
startKeyboard();
startConnectivity();
addEventListener('pagehide', storeDraft);
void resumeSession();
render(<App />, container);
