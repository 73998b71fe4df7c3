/// <reference types="vite/client" />
import address from './style/evaluation.css?url';

let loading: Promise<void> | undefined;

/** Loads code together with the styles of what comes later; rejects where they cannot be had. */
export async function withLaterStyles<Module>(module: Promise<Module>): Promise<Module> {
  const [loaded] = await Promise.all([module, loadStyles()]);
  return loaded;
}

function loadStyles(): Promise<void> {
  return (loading ??= new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => {
      link.remove();
      loading = undefined;
      reject(new Error('The styles could not be loaded.'));
    });
    link.href = address;
    document.head.append(link);
  }));
}
