import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');

/** The project's sources as the compiler sees them, with further files that need not exist. */
function programOf(files: readonly string[], extra: ReadonlyMap<string, string> = new Map()): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const withExtra: ts.CompilerHost = {
    ...host,
    fileExists: (path) => extra.has(path) || host.fileExists(path),
    readFile: (path) => extra.get(path) ?? host.readFile(path),
    getSourceFile: (path, version) => {
      const text = extra.get(path);
      return text === undefined ? host.getSourceFile(path, version) : ts.createSourceFile(path, text, version);
    },
  };
  return ts.createProgram([...files, ...extra.keys()], options, withExtra);
}

/** Where a file assigns a method that a library, or Node, has declared. */
function reassignmentsIn(program: ts.Program, file: string): string[] {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is not compiled.`);
  const checker = program.getTypeChecker();
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isReassignment(node, checker)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`${relative(ROOT, file)}:${line + 1}: ${node.getText(source).split('\n')[0]}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const DEFINES = /^(Object|Reflect)\.(defineProperty|defineProperties|setPrototypeOf|set)$/;

function isReassignment(node: ts.Node, checker: ts.TypeChecker): boolean {
  // Members that begin with an underscore are the client's, such as `_request_id`.
  if (ts.isCallExpression(node))
    return DEFINES.test(node.expression.getText()) && node.arguments[1]?.getText().startsWith("'_") !== true;
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return false;
  const { left } = node;
  return (ts.isPropertyAccessExpression(left) || ts.isElementAccessExpression(left)) && isForeignMethod(left, checker);
}

function isForeignMethod(
  left: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  checker: ts.TypeChecker,
): boolean {
  // The assigned member of an untyped receiver is unknown.
  if ((checker.getTypeAtLocation(left.expression).flags & ts.TypeFlags.Any) !== 0) return true;
  const declarations =
    (ts.isPropertyAccessExpression(left) ? checker.getSymbolAtLocation(left.name) : undefined)?.declarations ?? [];
  const isForeign = declarations.some((declaration) => declaration.getSourceFile().fileName.includes('/node_modules/'));
  return isForeign && checker.getNonNullableType(checker.getTypeAtLocation(left)).getCallSignatures().length > 0;
}

describe('The methods of libraries', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.spec.ts'))
    .map((file) => join(ROOT, file));
  const planted = new Map(
    [
      ["import { Pool } from 'pg';\nconst pool = new Pool();\npool.connect = (() => undefined) as never;", 1],
      ["import { Client } from 'pg';\nClient.prototype.query = (() => undefined) as never;", 1],
      [
        "import type { PoolClient } from 'pg';\nexport const f = (client: PoolClient) => { client.release = () => undefined; };",
        1,
      ],
      ["import { Pool } from 'pg';\n(new Pool() as any).query = 1;", 1],
      ["import { Pool } from 'pg';\nObject.defineProperty(new Pool(), 'query', { value: 1 });", 1],
      ["Object.defineProperty({}, '_request_id', { value: 'req_1' });", 0],
      ['process.stdout.write = (() => true) as never;', 1],
      [
        'class Own { onDone = () => undefined; constructor() { this.onDone = () => undefined; } }\nexport const own = new Own();',
        0,
      ],
      ["import { Pool } from 'pg';\nexport class Own extends Pool { override on(): never { throw new Error(); } }", 0],
    ].map(
      ([text, count], index) =>
        [join(ROOT, `src/planted-${index}.ts`), { text: text as string, count: count as number }] as const,
    ),
  );
  const program = programOf(sources, new Map([...planted].map(([file, { text }]) => [file, text])));

  it.each([...planted])('are recognized as reassigned, or not, in %s', (file, { count }) => {
    expect(reassignmentsIn(program, file)).toHaveLength(count);
  });

  it('are reassigned nowhere in src', () => {
    expect(sources.flatMap((file) => reassignmentsIn(program, file))).toEqual([]);
  });
});
