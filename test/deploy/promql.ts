import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { read } from '../conventions/docs.markdown';
import type { Json } from '../support/api';

/** The selectors of an expression. */
export interface Query {
  /** The text that does not parse. */
  errors: string[];
  /** Metrics with the labels that are matched. */
  selected: { metric: string; labels: string[] }[];
  /** Labels that are grouped by. */
  grouped: string[];
}

/** Parses a PromQL expression by the grammar of Prometheus' own editor. */
export function parseQuery(expression: string): Query {
  const query: Query = { errors: [], selected: [], grouped: [] };
  const textOf = ({ from, to }: { from: number; to: number }): string => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: ({ type, node }) => {
      if (type.isError) query.errors.push(`${expression.slice(0, node.from)}⚠${expression.slice(node.from)}`);
      if (type.name === 'VectorSelector')
        query.selected.push({ metric: textOf(node.getChild('Identifier') ?? { from: 0, to: 0 }), labels: [] });
      // The names of a selector come after it.
      if (type.name === 'LabelName' && node.parent?.name !== 'GroupingLabels')
        query.selected.at(-1)?.labels.push(textOf(node));
      if (type.name === 'GroupingLabels') query.grouped.push(...node.getChildren('LabelName').map(textOf));
    },
  });
  return query;
}

/** The labels of each metric in a scrape; those of a histogram's buckets, sums and counts too. */
export function labelsInScrape(text: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? /gm)) {
    const known = metrics.get(name) ?? new Set<string>();
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    metrics.set(name, known);
  }
  return metrics;
}

/** Selected series that a scrape does not have. */
export function missingIn(scrape: ReadonlyMap<string, ReadonlySet<string>>, { selected, grouped }: Query): string[] {
  const labelsOf = (metric: string): ReadonlySet<string> => scrape.get(metric) ?? new Set();
  return [
    ...selected.filter(({ metric }) => !scrape.has(metric)).map(({ metric }) => `there is no metric ${metric}`),
    ...selected.flatMap(({ metric, labels }) =>
      labels
        .filter((label) => scrape.has(metric) && !labelsOf(metric).has(label))
        .map((label) => `${metric} has no label ${label}`),
    ),
    ...grouped
      .filter((label) => !selected.every(({ metric }) => labelsOf(metric).has(label)))
      .map((label) => `${label} is no label of ${selected.map(({ metric }) => metric).join(', ')}`),
  ];
}

/** Where Grafana's dashboards are. */
export const DASHBOARDS = 'deploy/grafana/dashboards';

/** All of them. */
export function allDashboards(): { file: string; dashboard: Json }[] {
  return readdirSync(join(__dirname, '../..', DASHBOARDS)).map((file) => ({
    file,
    dashboard: JSON.parse(read(`${DASHBOARDS}/${file}`)),
  }));
}

/** The panels of a dashboard with their queries. */
export function panelsOf(dashboard: Json): { title: string; queries: { expr: string; legendFormat: string }[] }[] {
  return (dashboard.panels as Json[]).map(({ title, targets }) => ({ title, queries: targets }));
}
