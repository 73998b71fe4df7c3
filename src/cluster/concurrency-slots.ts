/** The places of running compares that the primary process keeps for its workers, so that they share one limit per key. */
export class ConcurrencySlots<Owner> {
  private readonly slots = new Map<string, Map<string, Owner>>();

  /** Whether there was a place left. */
  acquire(owner: Owner, { placeId, keyId, limit }: { placeId: string; keyId: string; limit: number }): boolean {
    const places = this.slots.get(keyId) ?? new Map<string, Owner>();
    if (places.size >= limit) return false;
    this.slots.set(keyId, places.set(placeId, owner));
    return true;
  }

  /** Whether it was taken. */
  release({ placeId, keyId }: { placeId: string; keyId: string }): boolean {
    const places = this.slots.get(keyId);
    const wasTaken = places?.delete(placeId) ?? false;
    if (places?.size === 0) this.slots.delete(keyId);
    return wasTaken;
  }

  /** Gives back whatever a worker held that is no more. */
  releaseAll(owner: Owner): void {
    for (const [keyId, places] of this.slots) {
      for (const [placeId, holder] of places) if (holder === owner) this.release({ placeId, keyId });
    }
  }
}
