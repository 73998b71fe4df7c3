/** The file that starts Swagger UI. Keys are kept in memory only, so a reload forgets them. */
export const DOCS_SCRIPT = `const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();
window.ui = SwaggerUIBundle({
  url: '/docs-json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
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
.swagger-ui .markdown table { display: block; overflow-x: auto; }
@media (max-width: 48rem) {
  .swagger-ui .wrapper { padding: 0 0.625rem; }
  .swagger-ui .info { margin: 1.25rem 0; }
  .swagger-ui .info .title { font-size: 1.6rem; }
  .swagger-ui .info .title > span { display: block; }
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
  { path: '/', text: 'Compare in the browser' }, { path: README_PATH, text: 'README' }, { path: '/docs-json', text: 'API document (JSON)' }, { path: '/docs-yaml', text: 'YAML' },
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
<main id="swagger-ui"></main>
<noscript>Swagger UI needs JavaScript; the API document is at <a href="/docs-json">/docs-json</a>.</noscript>
${scripts.map((path) => `<script src="${path}"></script>`).join('\n')}
</body>
</html>
`;
}
