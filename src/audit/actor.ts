/** Who changes something, and in which request. */
export interface Actor {
  /** Fingerprint of the admin key, id of a user's key, or the part of the service that acts by itself. */
  name: string;
  requestId: string | null;
  address: string | null;
}

/** A part of the service that acts by itself, outside any request. */
export function itself(name: string): Actor {
  return { name, requestId: null, address: null };
}
