import { drawDecision, PICTURE_HEIGHT, type Shape } from '../../../common/decision-picture';
import { modelsByPlace, takenModel, type ReportParts } from './render-report';

/** A report has its own style and nothing else. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
const WIDTH = 640;
const STYLE =
  ':root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{padding:.3rem .6rem;border-bottom:1px solid;text-align:left}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:.5rem}svg{max-width:100%;height:auto}@page{size:A4;margin:1.5cm}';

/** A report as a page of HTML, with the picture after its figures. */
export async function renderPage(parts: ReportParts, markdown: string): Promise<string> {
  const { marked } = await import('marked');
  const body = await marked.parse(markdown);
  const title = /<h1>(.*?)<\/h1>/.exec(body)?.[1] ?? '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body>${body.replace('</table>', () => `</table>\n${pictureOf(parts)}`)}</body></html>
`;
}

/** The picture of the models that have both figures; empty for fewer than two. */
function pictureOf({ experiment, summary }: ReportParts): string {
  const taken = takenModel(experiment, summary);
  const models = modelsByPlace(summary).flatMap(({ model, passed, cost_per_passed: cost }, index) =>
    passed === null || cost === null
      ? []
      : [{ mark: `${index + 1}`, cost: 1000 * cost.usd, rate: passed.rate, ends: passed.ci, isTaken: model === taken }],
  );
  if (models.length < 2) return '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${PICTURE_HEIGHT}" width="${WIDTH}" role="img" aria-label="Share that passed, by the cost of 1,000 passed answers">${drawDecision(models, WIDTH).map(svgOf).join('')}</svg>`;
}

/** Attributes and texts are numbers and words of ours: nothing has to be escaped. */
function svgOf({ tag, attributes, text = '' }: Shape): string {
  const all = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<${tag}${all.join('')}>${text}</${tag}>`;
}
