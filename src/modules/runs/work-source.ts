/** Work that this process has claimed. */
export interface ClaimedWork {
  readonly id: string;
  readonly userId: string;
  /** The fencing token of the claim. */
  fence: number;
}

/** Where the worker gets work from. A process claims work for the time of a lease. */
export interface WorkSource<Work extends ClaimedWork = ClaimedWork> {
  /**
   * Claims at most `limit` pieces of work; undefined if there is no unfinished work at all. `served` are the users
   * whose turn it was last.
   */
  claim(limit: number, served: readonly string[]): Promise<Work[] | undefined>;
  /** Does the work. Never throws: if its end cannot be stored, its lease expires. */
  run(work: Work, isStopping: () => boolean): Promise<void>;
  /** Extends the leases. */
  renew(claimed: readonly Work[]): Promise<unknown>;
  /** Lets any process claim the work at once. */
  requeue(claimed: readonly Work[]): Promise<void>;
}
