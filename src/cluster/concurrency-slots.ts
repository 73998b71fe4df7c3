/** The leases of running compares that the primary process keeps for its workers, so that they share one limit per key. */
export class ConcurrencySlots<Owner> {
  private readonly slots = new Map<string, Map<string, Owner>>();

  /** True if the lease was granted. */
  acquire(owner: Owner, { leaseId, keyId, limit }: { leaseId: string; keyId: string; limit: number }): boolean {
    const leases = this.slots.get(keyId) ?? new Map<string, Owner>();
    if (leases.size >= limit) return false;
    this.slots.set(keyId, leases.set(leaseId, owner));
    return true;
  }

  /** True if the lease was held. */
  release({ leaseId, keyId }: { leaseId: string; keyId: string }): boolean {
    const leases = this.slots.get(keyId);
    const wasHeld = leases?.delete(leaseId) ?? false;
    if (leases?.size === 0) this.slots.delete(keyId);
    return wasHeld;
  }

  /** Releases all leases of a worker that has ended. */
  releaseAll(owner: Owner): void {
    for (const [keyId, leases] of this.slots) {
      for (const [leaseId, holder] of leases) if (holder === owner) this.release({ leaseId, keyId });
    }
  }
}
