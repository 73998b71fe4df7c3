import { read, sectionOf } from '../../conventions/docs.markdown';

const guide = read('deploy/README.md');

/** Commands of deploy/README.md, of everything below these headings or of the whole page; block by block. */
export function commandsIn(...headings: string[]): string[] {
  const text = headings.length === 0 ? guide : headings.map((heading) => sectionOf(guide, `## ${heading}`)).join('\n');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
}

/** The sections of deploy/README.md. */
export function sectionsWithCommands(): string[] {
  return [...guide.matchAll(/^## (.+)$/gm)]
    .map(([, heading = '']) => heading)
    .filter((heading) => commandsIn(heading).length > 0);
}
