import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import catalog from '../../src/modules/models/catalog.json';

const ROOT = join(__dirname, '../..');
/** Tests about the end of a model, with a fixed clock. */
const EXCEPTIONS = ['test/e2e/api/models.spec.ts'];

/** Where a text names a model of the catalog that has a last day. */
function endingModelsIn(text: string): string[] {
  return catalog
    .filter(({ id, deprecation }) => deprecation !== undefined && text.includes(`'${id}'`))
    .map(({ id }) => id);
}

describe('The tests', () => {
  it('name no model that will end, with which they would fail from that day on', () => {
    const files = ['src', 'test']
      .flatMap((folder) => globSync(join(ROOT, folder, '**/*.{spec,cases}.ts')))
      .map((file) => relative(ROOT, file));
    const found = files
      .filter((file) => !EXCEPTIONS.includes(file))
      .flatMap((file) =>
        endingModelsIn(readFileSync(join(ROOT, file), 'utf8')).map((model) => `${file} names ${model}`),
      );
    expect(found).toEqual([]);
    for (const file of EXCEPTIONS)
      expect([file, endingModelsIn(readFileSync(join(ROOT, file), 'utf8'))]).not.toEqual([file, []]);
  });
});
