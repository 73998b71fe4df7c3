import type { MoneyFormat } from './amounts';
import type { CallOptions, Transport } from './transport';
import type { Breakdown, BreakdownQuery, MonthQuery, Statement, Usage } from './types';

const USAGE = '/api/v1/usage';

/** Returns the usage of the key's user in a month, by default the current month. */
export class UsageReports<Format extends MoneyFormat> {
  constructor(private readonly transport: Transport) {}

  /** Evals, charge and remaining free evals. */
  get(query?: MonthQuery, options?: CallOptions): Promise<Usage<Format>> {
    return this.transport.json({ ...options, path: USAGE, query });
  }

  /** Every charge and correction. */
  statement(query?: MonthQuery, options?: CallOptions): Promise<Statement<Format>> {
    return this.transport.json({ ...options, path: `${USAGE}/statement`, query });
  }

  /** The statement as CSV (RFC 4180), as the service writes it. */
  statementCsv(query?: MonthQuery, options?: CallOptions): Promise<string> {
    return this.transport.send(
      { ...options, path: `${USAGE}/statement`, query, headers: { accept: 'text/csv' } },
      (response) => response.text(),
    );
  }

  /** Cost and charge by model, day or key. */
  breakdown(query?: BreakdownQuery, options?: CallOptions): Promise<Breakdown<Format>> {
    return this.transport.json({ ...options, path: `${USAGE}/breakdown`, query });
  }
}
