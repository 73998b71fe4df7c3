// Renders the documents into dist/guide, as pages that need no script, with their Markdown beside them and llms.txt.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ADDRESSES, BASE, escape, INDEX, read, render, resolve } from './render.mjs';

const ROOT = join(import.meta.dirname, '../../../..');
const OUT = join(ROOT, 'dist/guide');

/** The sections of the index: their titles, and the documents that each lists. */
const groups = read(INDEX)
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split('\n', 1)[0],
    documents: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)]
      .map(([, text, target]) => ({ text, address: resolve(INDEX, target) }))
      .filter(({ address }) => address?.startsWith(BASE)),
  }));
const inOrder = groups.flatMap(({ documents }) => documents);

function navigation(current) {
  const list = (documents) =>
    documents
      .map(
        ({ text, address }) =>
          `<li><a href="${address}"${address === current ? ' aria-current="page"' : ''}>${escape(text)}</a></li>`,
      )
      .join('');
  return groups.map(({ title, documents }) => `<p>${escape(title)}</p><ul>${list(documents)}</ul>`).join('\n');
}

function pageOf({ title, body, headings }, address, style) {
  const place = inOrder.findIndex((document) => document.address === address);
  const step = (document, rel, words) =>
    document === undefined || place < 0
      ? ''
      : `<a rel="${rel}" href="${document.address}"><small>${words}</small>${escape(document.text)}</a>`;
  const contents =
    headings.length < 2 || address === BASE
      ? ''
      : `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${headings.map(({ id, text }) => `<li><a href="#${id}">${escape(text)}</a></li>`).join('')}</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Guide · Model Comparison</title>
${/<link rel="icon"[^>]+">/.exec(read('src/clients/page/index.html'))[0]}
<link rel="stylesheet" href="${style}">
</head>
<body${address === BASE ? ' class="index"' : ''}>
<a class="skip" href="#content">Skip to the text</a>
<header><a class="brand" href="${BASE}">Model Comparison <span>Guide</span></a><nav aria-label="Service"><a class="to-page" href="/">Compare</a><a href="/docs">API</a></nav></header>
<details class="menu"><summary>All guides</summary><nav aria-label="Guides, in the menu">${navigation(address)}</nav></details>
<div class="columns">
<nav class="guides" aria-label="Guides">${navigation(address)}</nav>
<main id="content">
${body}${place < 0 ? '' : `<nav class="steps" aria-label="Previous and next guide">${step(inOrder[place - 1], 'prev', 'Previous')}${step(inOrder[place + 1], 'next', 'Next')}</nav>`}
</main>
${contents}
</div>
</body>
</html>
`;
}

function write(name, content) {
  mkdirSync(dirname(join(OUT, name)), { recursive: true });
  writeFileSync(join(OUT, name), content);
}

/** A document with its links rewritten, for programs that read Markdown. */
function markdownOf(file) {
  const parts = read(file).split(/^(```[^]*?^```)/m);
  const rewrite = (text) =>
    text.replace(
      /(\]\()([^)\s]+)\)/g,
      (_, begin, target) =>
        `${begin}${(resolve(file, target) ?? target).replace(/^(\/docs\/guide\/[^#]+?)(?:\.webp)?(?=#|$)/, (address, page) => (address.endsWith('.webp') ? address : `${page}.md`))})`,
    );
  return parts.map((part, i) => (i % 2 === 0 ? rewrite(part) : part)).join('');
}

rmSync(OUT, { recursive: true, force: true });
const style = `${read('src/clients/page/style/tokens.css')}${read('src/clients/page/guide/guide.css')}`;
const styleFile = `guide.${createHash('sha256').update(style).digest('hex').slice(0, 10)}.css`;
write(styleFile, style);
for (const [file, address] of ADDRESSES) {
  const name = address.slice(BASE.length + 1) || 'index';
  const page = render(file);
  // Cards have their title on a line.
  if (file === INDEX) page.body = page.body.replace(/<\/a>: (.)/g, (_, letter) => `</a>${letter.toUpperCase()}`);
  write(`${name}.html`, pageOf(page, address, `${BASE}/${styleFile}`));
  if (file !== INDEX) write(`${name}.md`, markdownOf(file));
}
write(
  '404.html',
  pageOf(
    {
      title: 'No such page',
      body: `<h1>No such page</h1>\n<p>There is no guide at this address. <a href="${BASE}">See all guides.</a></p>\n`,
      headings: [],
    },
    `${BASE}/404`,
    `${BASE}/${styleFile}`,
  ),
);
write('llms.txt', markdownOf(INDEX));
if (existsSync(join(ROOT, 'docs/guides/pictures')))
  cpSync(join(ROOT, 'docs/guides/pictures'), join(OUT, 'pictures'), { recursive: true });
