import { anthropicErrors } from './anthropic.errors';
import { chatErrors } from './chat.errors';
import { STATUS_FAULTS, type ErrorTable, type StatusFault } from './error-table';
import { asObject, type Fault } from './vendor.script';
import type { JsonObject, VendorCall } from './wire';

/** True if a fault is a refusal with a distinct status. */
export function isStatusFault(fault: Fault): fault is StatusFault {
  return (STATUS_FAULTS as readonly Fault[]).includes(fault);
}

/** How the called vendor refuses. */
export function errorsOf(call: VendorCall): ErrorTable {
  return call.vendor === 'anthropic' ? anthropicErrors(call.model) : chatErrors(call.vendor, call.model);
}

/** The vendor's error inside an event of a stream that began well. */
export function streamErrorOf(call: VendorCall): JsonObject {
  const { body } = errorsOf(call).overload;
  // Gemini wraps errors in a list, but not within a stream.
  const error: unknown = Array.isArray(body) ? body[0] : body;
  return asObject(error) ?? {};
}
