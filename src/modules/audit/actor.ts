/** Who makes a change, and in which request. */
export interface Actor {
  /** Fingerprint of the admin key, id of a user's key, or the name of the background task. */
  name: string;
  /** null outside a request. */
  requestId: string | null;
  /** IP address of the client; null outside a request. */
  address: string | null;
}

/** The actor of a background task, which runs outside any request. */
export function systemActor(name: string): Actor {
  return { name, requestId: null, address: null };
}
