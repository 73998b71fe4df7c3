import { useSignal } from '@preact/signals';
import { KeyScreen } from '../screens/key-screen';
import { Banner } from './banner';
import { Dialog } from './dialog';

/** Asks for another key over a screen whose key was refused, which keeps its content. Closed, it leaves a way back. */
export function KeyDialog() {
  const isOpen = useSignal(true);
  if (isOpen.value)
    return (
      <Dialog
        title="Another key is needed"
        onClose={() => {
          isOpen.value = false;
        }}
      >
        <KeyScreen isAbove />
      </Dialog>
    );
  return (
    <section aria-label="Key">
      <Banner kind="warning" page>
        The service rejected this key.{' '}
        <button
          type="button"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          Enter another key
        </button>
      </Banner>
    </section>
  );
}
