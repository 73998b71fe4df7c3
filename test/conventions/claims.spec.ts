import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists, read } from './docs.markdown';

const ROOT = join(__dirname, '../..');
const HEAD = `# Claims

The claims of [the README](../README.md), each with the tests that prove it, which a comment after the sentence names. \`test/conventions/claims.spec.ts\` compares this table with the comments, and writes it when \`WRITE_CLAIMS\` is set.

| Claim | Test |
| --- | --- |
`;
const MARKS = /((?: <!-- proof: .+? -->)+)/;
/** Numbers, and words for all cases or for more than all others. */
const WORDS =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|hundred|once|never|only|every|always|all|any|best|most|least|fastest|cheapest)\b/i;
const SKIPPED = /\b(?:[xf](?:it|test|describe)|(?:it|test|describe)(?:\.\w+)?\.(?:skip|only|todo))\b[.(]/;

/** The sentences outside headings and blocks of code, in plain text, each with the proofs of its marks. */
function sentencesOf(text: string): { text: string; proofs: string[] }[] {
  const lines = text.replace(/^```[^]*?^```$/gm, '').match(/^[^#\n].*$/gm) ?? [];
  const parts = lines.flatMap((line) => `${line.replace(/^(?:\d+\.|-) /, '')} `.split(MARKS));
  return parts.flatMap((part, i) => {
    if (MARKS.test(part)) return [];
    const texts = part
      .replace(/!?\[([^\]]+)\]\([^)]+\)|\*\*/g, '$1')
      .trim()
      .split(/(?<=[.!?]) /);
    const proofs = [...(parts[i + 1] ?? '').matchAll(/ <!-- proof: (.+?) -->/g)].map(([, proof = '']) => proof);
    return texts.map((each, j) => ({ text: each, proofs: j === texts.length - 1 ? proofs : [] }));
  });
}

/** Complaints about a proof, `file › title`, whose file may be passed as text. */
function complaintsAbout(proof: string, text?: string): string[] {
  const [, file = '', title = ''] = /^((?:src|test)\/\S+\.spec\.ts) › (.+)$/.exec(proof) ?? [];
  if (file === '' || !exists(file)) return [`${proof}: no such file`];
  const test = `\\(\\s*(['"\`])${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\1,\\s*(?:async )?(?:\\(|\\w+ =>)`;
  const program = text ?? read(file);
  return [...(new RegExp(test).test(program) ? [] : [`${proof}: no such test`]), ...(SKIPPED.exec(program) ?? [])];
}

describe('The claims of the README', () => {
  const readme = read('README.md');
  const claims = sentencesOf(readme).filter(({ proofs }) => proofs.length > 0);

  it('have a mark wherever there is a number, or a word such as never, only and every', () => {
    const unproved = (text: string) =>
      sentencesOf(text).filter((each) => each.proofs.length === 0 && WORDS.test(each.text.replace(/`[^`]*`/g, '')));
    expect(unproved(readme)).toEqual([]);
    expect(claims.flatMap(({ proofs }) => proofs)).toHaveLength(readme.split('<!--').length - 1);
    const text = '1. It is `2`. It has 3 [parts](a.md). **It never ends.** <!-- proof: a › b --> See [all](b.md).';
    expect(unproved(text).map((each) => each.text)).toEqual(['It has 3 parts.', 'See all.']);
  });

  it('are proved by tests that exist and run', () => {
    expect(claims.flatMap(({ proofs }) => proofs.flatMap((proof) => complaintsAbout(proof)))).toEqual([]);
    const proof = 'test/conventions/claims.spec.ts › is %s';
    expect(complaintsAbout('test/none.spec.ts › a')).toEqual(['test/none.spec.ts › a: no such file']);
    expect(complaintsAbout(proof, "it('is', () => {")).toEqual([`${proof}: no such test`]);
    expect(complaintsAbout(proof, "it.skip('is %s', () => {")).toEqual(['it.skip(']);
  });

  it('are listed in docs/claims.md, and their marks are hidden in the guide', async () => {
    const rows = claims.flatMap(({ text, proofs }) =>
      proofs.map((proof, i) => `| ${i === 0 ? text : ''} | ${proof.replace(/^\S+/, '`$&`')} |\n`),
    );
    if (process.env['WRITE_CLAIMS'] !== undefined) writeFileSync(join(ROOT, 'docs/claims.md'), HEAD + rows.join(''));
    expect(read('docs/claims.md')).toBe(HEAD + rows.join(''));
    const guide = (await import(join(ROOT, 'src/clients/page/guide/render.mjs'))) as { read: typeof read };
    expect(guide.read('README.md').split(/<!--| +$/m)).toHaveLength(1);
  });
});
