/** The places of running compares that the primary process keeps for its workers, so that they share one limit per key. */
export class PrimaryPlaces<Owner> {
  private readonly taken = new Map<string, Map<string, Owner>>();

  /** Whether there was a place left. */
  enter(owner: Owner, { placeId, keyId, limit }: { placeId: string; keyId: string; limit: number }): boolean {
    const places = this.taken.get(keyId) ?? new Map<string, Owner>();
    if (places.size >= limit) return false;
    this.taken.set(keyId, places.set(placeId, owner));
    return true;
  }

  /** Whether it was taken. */
  leave({ placeId, keyId }: { placeId: string; keyId: string }): boolean {
    const places = this.taken.get(keyId);
    const wasTaken = places?.delete(placeId) ?? false;
    if (places?.size === 0) this.taken.delete(keyId);
    return wasTaken;
  }

  /** Gives back whatever a worker held that is no more. */
  forget(owner: Owner): void {
    for (const [keyId, places] of this.taken) {
      for (const [placeId, holder] of places) if (holder === owner) this.leave({ placeId, keyId });
    }
  }
}
