// Turns a document into HTML: markup in it is escaped, and links lead to what the service serves.
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked } from 'marked';

const ROOT = join(import.meta.dirname, '../../../..');
export const BASE = '/docs/guide';
/** The list of all guides; its sections are the navigation. */
export const INDEX = 'docs/README.md';

/** Documents outside `docs`, by the name of their page. */
const ELSEWHERE = {
  readme: 'README.md',
  contributing: 'CONTRIBUTING.md',
  security: 'SECURITY.md',
  changelog: 'CHANGELOG.md',
  client: 'src/clients/client/package/README.md',
  python: 'clients/python/README.md',
  production: 'deploy/README.md',
};

export const read = (file) => readFileSync(join(ROOT, file), 'utf8').replace(/ <!-- proof: .*? -->/g, '');
export const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const titleOf = (text) => (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

/** The address of each rendered document. */
export const ADDRESSES = new Map([
  [INDEX, BASE],
  ...globSync('docs/{,guides/,decisions/}*.md', { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== INDEX)
    .sort()
    .map((file) => [file, `${BASE}/${file.replace(/^docs\/(?:guides\/)?|(?:\/README)?\.md$/g, '')}`]),
  ...Object.entries(ELSEWHERE).map(([name, file]) => [file, `${BASE}/${name}`]),
]);

/** The address of a link's target, or undefined if the service does not serve it. */
export function resolve(from, target) {
  if (/^(?:https?|mailto):/i.test(target) || target.startsWith('#')) return target;
  const [path, anchor] = target.split('#');
  const file = posix.join(posix.dirname(from), path);
  if (file === 'docs/openapi.json') return '/docs-json';
  const address =
    ADDRESSES.get(file) ??
    (/^docs\/guides\/pictures\/[\w-]+\.webp$/.test(file) ? file.replace('docs/guides', BASE) : undefined);
  return address === undefined || anchor === undefined ? address : `${address}#${anchor}`;
}

/** Renders a document, and lists its headings of the second level. */
export function render(file, text = read(file)) {
  // No row of a table takes the anchor of a heading below it.
  const ofHeadings = new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading)));
  const headings = [];
  const ids = new Set();
  /** The anchor of a code host, with a number if it is taken. */
  const newId = (text) => {
    const base = anchorOf(text);
    const id = [base, ...Array.from({ length: ids.size }, (_, i) => `${base}-${i + 1}`)].find((name) => !ids.has(name));
    ids.add(id);
    return id;
  };
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escape(text),
      heading({ tokens, depth, text }) {
        const id = newId(text);
        if (depth === 2) headings.push({ id, text: text.replaceAll('`', '') });
        const anchor = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      code: ({ text, lang = '' }) =>
        `<pre tabindex="0" aria-label="${escape(lang === '' ? 'Text' : `Code: ${lang}`)}" role="group"${lang === '' ? '' : ` data-language="${escape(lang)}"`}><code>${escape(text)}\n</code></pre>\n`,
      link({ href, tokens }) {
        const [address, text] = [resolve(file, href), this.parser.parseInline(tokens)];
        return address === undefined ? text : `<a href="${escape(address)}">${text}</a>`;
      },
      image: ({ href, text }) => {
        const address = resolve(file, href);
        return address === undefined
          ? escape(text)
          : `<a class="picture" href="${escape(address)}"><img src="${escape(address)}" alt="${escape(text)}" loading="lazy"></a>`;
      },
      table({ header, rows, align }) {
        const cells = (row, kind) =>
          row
            .map((cell, i) => {
              // An empty head is no head of its column.
              const tag = cell.text === '' ? 'td' : kind;
              return `<${tag}${align[i] === null ? '' : ` class="align-${align[i]}"`}>${this.parser.parseInline(cell.tokens)}</${tag}>`;
            })
            .join('');
        // A row that begins with a name in code, such as the code of an error, has that name as its anchor.
        const anchor = ([first]) => {
          const name = /^`([\w-]+)`$/.exec(first.text)?.[1];
          if (name === undefined || ids.has(name) || ofHeadings.has(name)) return '';
          ids.add(name);
          return ` id="${name}"`;
        };
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n<thead><tr>${cells(header, 'th')}</tr></thead>\n<tbody>\n${rows.map((row) => `<tr${anchor(row)}>${cells(row, 'td')}</tr>\n`).join('')}</tbody>\n</table></div>\n`;
      },
    },
  });
  return { title: titleOf(text), body: marked.parse(text), headings };
}
