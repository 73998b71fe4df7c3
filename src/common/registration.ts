/** The part that a lower module needs of a higher one, which registers it when the modules are initialized. */
export class Registration<T> {
  private registered: T | undefined;

  /** `missing` is the sentence with which the start fails if nothing was registered. */
  constructor(private readonly missing: string) {}

  /** @throws Error if something is registered already */
  register(value: T): void {
    if (this.registered !== undefined) throw new Error('This was registered already.');
    this.registered = value;
  }

  /** @throws Error if nothing was registered; the start asks for it, so a request never finds it missing */
  get(): T {
    if (this.registered === undefined) throw new Error(this.missing);
    return this.registered;
  }
}
