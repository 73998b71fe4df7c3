import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';
import { CopyButton } from '../parts/copy-button';
import { decodeReferences } from './character-references';
import { codeTokens } from './code-tokens';
import { linkTarget, showsHost } from './link-target';

const ALIGNMENT_CLASSES = { left: 'align-left', center: 'align-center', right: 'align-right' };
/** Deeper ones are rare in answers, and markup within markup has a price. */
const MAX_DEPTH = 40;

/**
 * The rendering of an answer's block. This is the only way from Markdown to the page: every token becomes an element of
 * this file or text,
 * so that a model's text is never read as markup.
 */
export function blockElement(token: Token): VNode {
  return <>{elementOf(token, 0)}</>;
}

function elementsOf(tokens: readonly Token[], depth: number): ComponentChildren {
  return depth > MAX_DEPTH ? tokens.map(({ raw }) => raw).join('') : tokens.map((token) => elementOf(token, depth + 1));
}

// eslint-disable-next-line complexity -- a flat list of cases
function elementOf(generic: Token, depth: number): ComponentChildren {
  const token = generic as MarkedToken;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{elementsOf(token.tokens, depth)}</p>;
    case 'heading':
      return <Heading heading={token} depth={depth} />;
    case 'hr':
      return <hr />;
    case 'code':
      return <CodeBlock code={token.text} info={token.lang ?? ''} />;
    case 'blockquote':
      return <blockquote>{elementsOf(token.tokens, depth)}</blockquote>;
    case 'list':
      return <List list={token} depth={depth} />;
    case 'list_item':
      return <li>{elementsOf(token.tokens, depth)}</li>;
    case 'checkbox':
      return <Checkbox isChecked={token.checked} />;
    case 'table':
      return <Table table={token} depth={depth} />;
    case 'strong':
      return <strong>{elementsOf(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{elementsOf(token.tokens, depth)}</em>;
    case 'del':
      return <del>{elementsOf(token.tokens, depth)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link link={token} depth={depth} />;
    case 'image':
      return <Image image={token} />;
    case 'html':
      return <MarkupAsText token={token} />;
    case 'text':
      return token.tokens === undefined ? decodeReferences(token.text) : elementsOf(token.tokens, depth);
    case 'escape':
      return token.text;
    default:
      return generic.raw;
  }
}

/** A heading of an answer is no heading of the page. */
function Heading({ heading, depth }: { heading: Tokens.Heading; depth: number }) {
  return (
    <p class="answer-heading" data-depth={heading.depth}>
      {elementsOf(heading.tokens, depth)}
    </p>
  );
}

function Checkbox({ isChecked }: { isChecked: boolean }) {
  return (
    <span role="img" aria-label={isChecked ? 'Done: ' : 'To do: '}>
      {isChecked ? '☑ ' : '☐ '}
    </span>
  );
}

function List({ list: { ordered, start, items }, depth }: { list: Tokens.List; depth: number }) {
  const children = elementsOf(items, depth);
  return ordered ? <ol start={typeof start === 'number' ? start : undefined}>{children}</ol> : <ul>{children}</ul>;
}

function Table({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }) {
  const classOf = ({ align }: Tokens.TableCell): string | undefined =>
    align === null ? undefined : ALIGNMENT_CLASSES[align];
  return (
    <div class="answer-table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, i) => (
              <th key={i} class={classOf(cell)}>
                {elementsOf(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, i) => (
                <td key={i} class={classOf(cell)}>
                  {elementsOf(cell.tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Link({ link: { href, tokens, raw, autolink }, depth }: { link: Tokens.Link; depth: number }) {
  const target = linkTarget(autolink === true ? href : decodeReferences(href));
  if (target === undefined) return <>{raw}</>;
  // Words that show another link would be a link within a link.
  return (
    <LinkTo {...target} words={wordsOf(tokens)}>
      {elementsOf(
        tokens.filter(({ type }) => type !== 'link'),
        depth,
      )}
    </LinkTo>
  );
}

/** No image is ever fetched: that would tell its host who reads the answer. */
function Image({ image: { href, text, raw } }: { image: Tokens.Image }) {
  const target = linkTarget(decodeReferences(href));
  return target === undefined ? (
    <>{raw}</>
  ) : (
    <LinkTo {...target} words="">
      Image{text === '' ? '' : `: ${decodeReferences(text)}`}
    </LinkTo>
  );
}

/** The words are isolated, so that what turns their direction ends with them and the host stays where it belongs. */
function LinkTo({
  href,
  host,
  words,
  children,
}: {
  href: string;
  host: string;
  words: string;
  children: ComponentChildren;
}) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <bdi>{children}</bdi>
      {!showsHost(words, { href, host }) && (
        <>
          {' '}
          <bdi class="answer-host">({host})</bdi>
        </>
      )}
    </a>
  );
}

/** A block keeps its lines. */
function MarkupAsText({ token: { raw, block } }: { token: Tokens.HTML | Tokens.Tag }) {
  return block ? <p class="answer-markup">{raw.trimEnd()}</p> : <>{raw}</>;
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens.map((token) => ('text' in token ? decodeReferences(String(token.text)) : token.raw)).join('');
}

const MAX_NAME = 20;

/** A block of code with the name of its language and a button that copies it. */
function CodeBlock({ code, info }: { code: string; info: string }) {
  const name = (/^[\w+#.-]+/.exec(info)?.[0] ?? '').slice(0, MAX_NAME);
  const block = (
    <pre tabIndex={0} aria-label="Code" role="group">
      <code>
        {codeTokens(code, name.toLowerCase()).map(({ kind, text }, index) =>
          kind === 'plain' ? (
            text
          ) : (
            <span key={index} class={`code-${kind}`}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  );
  if (code.trim() === '') return block;
  return (
    <div class="code-block">
      <p class="code-head">
        <span>{name === '' ? 'code' : name}</span>
        <CopyButton text={() => code} what="Code" label="Copy this code" class="button-quiet">
          Copy
        </CopyButton>
      </p>
      {block}
    </div>
  );
}
