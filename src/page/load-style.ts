/// <reference types="vite/client" />
import address from './style/evaluation.css?url';

let loading: Promise<void> | undefined;

/** Loads the styles of what comes later, once; rejects where they cannot be had. */
export function loadEvaluationStyle(): Promise<void> {
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
