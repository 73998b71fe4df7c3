import { requestLimits } from './environment';
import { environmentVariables } from './process-environment';

/**
 * The limits of a request, for the decorators of DTOs and through them the API document.
 * Read when this module is loaded and not from the injected `Config`, because decorators run when their class is defined, before anything is injected.
 * Invalid variables give the defaults here; `Config.read` then stops the start and names them.
 */
export const REQUEST_LIMITS = Object.freeze(requestLimits.safeParse(environmentVariables()).data ?? requestLimits.parse({}));
