/**
 * Computations under way, by key. Concurrent calls with one key share a computation, and only its own failure ends it.
 */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Promise<T>>();

  /**
   * Joins the computation with that key, or starts one. `keep` gets its result, unless `forget` was called meanwhile.
   */
  async run(key: string, compute: () => Promise<T>, keep: (result: T) => void): Promise<T> {
    const existing = this.flights.get(key);
    if (existing !== undefined) return existing;
    const flight = compute();
    this.flights.set(key, flight);
    try {
      const result = await flight;
      if (this.flights.get(key) === flight) keep(result);
      return result;
    } finally {
      if (this.flights.get(key) === flight) this.flights.delete(key);
    }
  }

  /** Keeps no result of the computations under way, because what they read has changed. Their callers still get it. */
  forget(): void {
    this.flights.clear();
  }
}
