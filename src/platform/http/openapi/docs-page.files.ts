import { GUIDE_PATH } from '../web-pages';

/**
 * The file that starts Swagger UI. Keys are kept in memory only, so a reload forgets them. Errors and headers, alike
 * for all operations, are folded.
 */
export const DOCS_SCRIPT = `const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();
const folded = (React, label, content, more) => React.createElement('details', { className: 'folded' }, React.createElement('summary', null, label, more), content);
const errorRow = (React, status, description) => React.createElement('tr', { key: status }, React.createElement('td', null, status), React.createElement('td', null,
  description.split('\\n\\n').map((line) => {
    const [, code, text] = /^\`(\\w+)\`: ([^]*)/.exec(line) || [undefined, undefined, line];
    return React.createElement('p', { key: line }, code && React.createElement('a', { href: '/docs/guide/errors#' + code }, code), ' ' + text);
  })));
const Folding = () => ({ wrapComponents: {
  responses: (Original, { React }) => (props) => {
    const errors = props.responses.filter((_, status) => Number(status) >= 400);
    return React.createElement('div', null,
      React.createElement(Original, { ...props, responses: props.responses.filterNot((_, status) => Number(status) >= 400) }),
      folded(React, 'Errors ', React.createElement('table', null, React.createElement('tbody', null, errors.entrySeq().map(([status, response]) => errorRow(React, status, response.get('description') || '')).toArray())), React.createElement('span', null, errors.keySeq().join(', '))));
  },
  headers: (Original, { React }) => (props) => props.headers && props.headers.size ? folded(React, 'Headers ', React.createElement(Original, props), React.createElement('span', null, props.headers.keySeq().join(', '))) : null,
} });
/** A link for each group of operations. */
const listGroups = () => {
  const groups = window.ui.getSystem().specSelectors.taggedOperations().keySeq().toArray();
  document.querySelector('.groups').replaceChildren(...groups.map((tag) => {
    const link = document.createElement('a');
    link.textContent = tag;
    link.href = '#/' + tag;
    link.addEventListener('click', () => {
      window.ui.layoutActions.show(['operations-tag', tag], true);
      document.getElementById('operations-tag-' + tag).scrollIntoView();
    });
    return link;
  }));
};
window.ui = SwaggerUIBundle({
  url: '/docs-json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [Folding],
  onComplete: listGroups,
  layout: 'BaseLayout',
});
`;

/** The page's additions to Swagger UI's style: a heading with links, and room for it on a phone. */
export const DOCS_STYLE = `html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
html.dark-mode body { background: #1c2022; }
.page { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; padding: 0.75rem 1.25rem; background: #1b3a57; color: #fff; font: 1rem/1.5 system-ui, sans-serif; }
.page strong { margin-right: auto; }
.page a { color: #fff; }
.groups { position: sticky; top: 0; z-index: 2; display: flex; gap: 0.25rem; min-height: 2.75rem; padding: 0 1rem; overflow-x: auto; background: #fff; border-bottom: 1px solid #dde2e9; font: 0.875rem/2.75rem system-ui, sans-serif; }
.groups a { padding: 0 0.625rem; color: #1d5bd0; text-decoration: none; }
.groups a:hover { text-decoration: underline; }
.dark-mode .groups { background: #171d25; border-color: #2b333e; }
.dark-mode .groups a { color: #82b1ff; }
.swagger-ui :is(.opblock-tag, .opblock) { scroll-margin-top: 3rem; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .info .title { font-size: 1.75rem; }
.swagger-ui .info :is(h1, h2) { font-size: 1.125rem; margin: 1.25rem 0 0.5rem; }
.swagger-ui :is(.markdown, .renderedMarkdown) code { color: inherit; font-weight: 600; }
.swagger-ui .folded a { color: #1d5bd0; }
.swagger-ui .folded { margin: 0.5rem 1.25rem 0.75rem; font-size: 0.875rem; }
.swagger-ui td .folded { margin: 0.25rem 0; }
.swagger-ui .folded summary { padding: 0.5rem 0; font-weight: 600; cursor: pointer; }
.swagger-ui .folded summary span { font-weight: 400; opacity: 0.8; }
.swagger-ui .folded table tbody tr td { padding: 0.375rem 1rem 0.375rem 0; line-height: 1.4; vertical-align: top; }
.swagger-ui .folded td p { margin: 0 0 0.25rem; font-size: inherit; line-height: inherit; }
.dark-mode .swagger-ui .folded, .dark-mode .swagger-ui .folded td { color: #e4e6e6; }
.dark-mode .swagger-ui .folded a { color: #82b1ff; }
.swagger-ui textarea { min-height: 0; height: 9rem; }
.swagger-ui .highlight-code > .microlight { max-height: 16rem; }
.swagger-ui .markdown table { display: block; overflow-x: auto; }
@media (max-width: 48rem) {
  .swagger-ui .wrapper { padding: 0 0.625rem; }
  .swagger-ui .info { margin: 1.25rem 0; }
  .swagger-ui .info .title { font-size: 1.6rem; }
  .swagger-ui .info .title > span { display: block; margin-top: 0.5rem; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; font-size: 1.25rem; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 0; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 4rem; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; height: auto; }
  .swagger-ui .opblock-body, .swagger-ui .model-container, .swagger-ui .table-container { max-width: 100%; overflow-x: auto; }
  .swagger-ui table.parameters, .swagger-ui table.parameters tbody, .swagger-ui table.parameters tr, .swagger-ui table.parameters td { display: block; width: 100%; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select, .swagger-ui textarea, .swagger-ui select { min-width: 0; max-width: 100%; width: 100%; }
  .swagger-ui .response-col_status { min-width: 3rem; width: auto; }
  .swagger-ui pre, .swagger-ui .microlight, .swagger-ui code { white-space: pre-wrap; overflow-wrap: anywhere; }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: 95%; }
}
`;

export const README_PATH = '/docs/readme';

/** The links of the page, if it is served. */
export const LINKS = [
  { path: '/', text: 'Compare in the browser' },
  { path: GUIDE_PATH, text: 'Guide' },
  { path: '/docs-json', text: 'API document (JSON)' },
  { path: '/docs-yaml', text: 'YAML' },
] as const;

/** The parts of the page besides its heading. */
interface DocsPageContent {
  styles: readonly string[];
  scripts: readonly string[];
  links: readonly { path: string; text: string }[];
}

/** The page itself; its script and its styles are files. */
export function docsPage({ styles, scripts, links }: DocsPageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API documentation · Model Comparison Service</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='6' height='14' x='1' y='1' rx='1' fill='%231b3a57'/%3E%3Crect width='6' height='9' x='9' y='6' rx='1' fill='%23c0603a'/%3E%3C/svg%3E">
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
</head>
<body>
<header class="page"><strong>Model Comparison Service</strong> ${links.map(({ path, text }) => `<a href="${path}">${text}</a>`).join(' ')}</header>
<nav class="groups" aria-label="Groups of operations"></nav>
<main id="swagger-ui"></main>
<noscript>Swagger UI needs JavaScript; the API document is at <a href="/docs-json">/docs-json</a>.</noscript>
${scripts.map((path) => `<script src="${path}"></script>`).join('\n')}
</body>
</html>
`;
}
