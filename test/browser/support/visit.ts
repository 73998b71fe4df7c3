import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { MAX_WAIT_MS } from '../../support/factories';
import { browser } from './chromium';

/** How somebody looks at the page. */
export interface VisitOptions {
  /** The origin that is visited; requests to any other are findings. */
  url: string;
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** A phone: fingers instead of a mouse. */
  touch?: boolean;
  /** Answers of the service that the test provokes; the browser itself reports them on its console. */
  expected?: (number | 'net')[];
  /** Lines on the console of code that is not ours. */
  tolerated?: RegExp;
}

/** Chromium's own line for an answer of 400 or more, and for a broken connection. */
const NETWORK_LINE = /^Failed to load resource: (?:the server responded with a status of (\d+)|net::)/;

/** A tab of a separate browser profile, and everything in it that must not happen. */
export class Visit {
  /** Console errors and warnings, exceptions, policy violations, requests to other hosts. */
  readonly findings: string[] = [];
  /** Addresses asked for so far, without the origin. */
  readonly requested: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly options: VisitOptions,
  ) {}

  /** Opens an empty tab. */
  static async open(options: VisitOptions): Promise<Visit> {
    const { width = 1280, height = width < 768 ? 844 : 900, theme = 'light', touch = false } = options;
    const context = await (
      await browser()
    ).newContext({
      viewport: { width, height },
      colorScheme: theme,
      hasTouch: touch,
      isMobile: touch,
      baseURL: options.url,
      acceptDownloads: true,
    });
    context.setDefaultTimeout(MAX_WAIT_MS);
    const visit = new Visit(await context.newPage(), context, options);
    await visit.watch(visit.page);
    return visit;
  }

  /** Another tab of the same browser profile, watched as well. */
  async anotherTab(): Promise<Page> {
    const page = await this.context.newPage();
    await this.watch(page);
    return page;
  }

  /** Closes everything; fails if anything happened that must not. */
  async end(): Promise<void> {
    await this.context.close();
    expect(this.findings).toEqual([]);
  }

  /** From now on these answers are provoked, too. */
  expects(...answers: (number | 'net')[]): void {
    this.options.expected = [...(this.options.expected ?? []), ...answers];
  }

  private async watch(page: Page): Promise<void> {
    page.on('console', (message) => this.noteLine(message));
    page.on('pageerror', (error) => this.findings.push(`exception: ${error.message}`));
    page.on('request', (request) => {
      const { protocol, origin, pathname, search } = new URL(request.url());
      if (protocol === 'data:' || protocol === 'blob:') return;
      this.requested.push(pathname + search);
      if (origin !== new URL(this.options.url).origin) this.findings.push(`request to ${request.url()}`);
    });
    page.on('dialog', (dialog) => {
      this.findings.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.exposeFunction('reportViolation', (violation: string) =>
      this.findings.push(`policy violation: ${violation}`),
    );
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
        void (window as unknown as { reportViolation: (text: string) => Promise<void> }).reportViolation(
          `${violatedDirective} ${blockedURI} ${sample}`,
        );
      });
    });
  }

  private noteLine(message: ConsoleMessage): void {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (this.options.tolerated?.test(message.text()) === true) return;
    const network = NETWORK_LINE.exec(message.text());
    if (
      network !== null &&
      (this.options.expected ?? []).includes(network[1] === undefined ? 'net' : Number(network[1]))
    )
      return;
    this.findings.push(
      `console ${message.type()}: ${message.text()} (${new URL(message.location().url || 'about:blank').pathname})`,
    );
  }
}
