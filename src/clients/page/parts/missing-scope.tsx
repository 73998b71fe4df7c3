import type { Scope } from '../../client/client';
import { Banner } from './banner';

/** Why a screen, or a part of one, stays empty for the key in use. */
export function MissingScope({ scope, purpose }: { scope: Scope; purpose: string }) {
  return (
    <Banner kind="note">
      <span>
        This key lacks the scope <code>{scope}</code>, which is needed {purpose}. Ask the operator for a key that has
        it.
      </span>
    </Banner>
  );
}
