import type { Provider, Vendor } from './provider';

/** Which vendors can be called, and by which strategy. */
export class ProviderRegistry {
  private readonly strategies: ReadonlyMap<Vendor, Provider>;

  constructor(providers: readonly Provider[]) {
    this.strategies = new Map(providers.map((provider) => [provider.vendor, provider]));
  }

  /** True if the vendor can be called: its key or address is set. */
  has(vendor: Vendor): boolean {
    return this.strategies.has(vendor);
  }

  /** @throws Error for a vendor that cannot be called; callers ask `has` first. */
  get(vendor: Vendor): Provider {
    const provider = this.strategies.get(vendor);
    if (provider === undefined) throw new Error(`No strategy for vendor ${vendor}.`);
    return provider;
  }
}
