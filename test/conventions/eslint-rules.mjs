import { basename } from 'node:path';
import { complaintsAboutComment, complaintsAboutSentence, complaintsAboutSpelling } from './plain-words.mjs';

/** Suffixes of files and the suffix that their class has; an entity has none. */
const CLASS_SUFFIXES = {
  service: 'Service',
  controller: 'Controller',
  repository: 'Repository',
  module: 'Module',
  guard: 'Guard',
  interceptor: 'Interceptor',
  filter: 'Filter',
  pipe: 'Pipe',
  entity: '',
};
const ROLES = Object.entries(CLASS_SUFFIXES).filter(([, suffix]) => suffix !== '');

/**
 * `rate-limit.guard.ts` exports `RateLimitGuard` and no other guard, and a guard is exported by a `.guard.ts` only; a
 * `.decorator.ts` exports functions.
 */
const fileSuffix = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const parts = /^(.+)\.([a-z]+)\.ts$/.exec(basename(context.filename));
    return {
      Program(program) {
        const exported = program.body.flatMap((node) =>
          node.type === 'ExportNamedDeclaration' && node.declaration != null ? [node.declaration] : [],
        );
        const classes = exported.filter(({ type }) => type === 'ClassDeclaration');
        const [, base = '', suffix = ''] = parts ?? [];
        if (suffix === 'spec' || suffix === 'test') return;
        const expected = suffix in CLASS_SUFFIXES ? pascalCase(base) + CLASS_SUFFIXES[suffix] : undefined;
        if (expected !== undefined && !classes.some(({ id }) => id.name === expected))
          context.report({
            node: program,
            message: `A .${suffix}.ts file exports a class with its name: ${expected}.`,
          });
        if (/^decorators?$/.test(suffix) && !exported.some(isFunction))
          context.report({ node: program, message: `A .${suffix}.ts file exports functions.` });
        for (const { id } of classes) {
          const role = ROLES.find(([, ending]) => id.name.endsWith(ending));
          if (role !== undefined && id.name !== expected)
            context.report({ node: id, message: `${id.name} belongs in a .${role[0]}.ts file with its name.` });
        }
      },
    };
  },
};

/** Folders whose texts of two and more words a user reads. */
const FOLDERS_OF_TEXTS = /\/src\/clients\//;
const TESTS = /^(?:it|test|describe)\b/;
const LOGS = /^(?:debug|info|log|warn|error|fatal)$/;

/**
 * American spelling in names, comments and strings, and no idiom in comments, texts of page and command line, log
 * messages and test titles; `plain-words.mjs` has the lists.
 */
const plainWords = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const report = (loc, complaints) =>
      complaints.forEach((message) => context.report({ loc, message: `Plain words: ${message}.` }));
    const name = (node) => report(node.loc, complaintsAboutSpelling(node.name));
    const isSpec = /\.spec\.tsx?$/.test(context.filename);
    const isText = !isSpec && FOLDERS_OF_TEXTS.test(context.filename);
    const complaintsAbout = (node, text) =>
      /\S\s+\S/.test(text) && (isText || isReadAsText(node, isSpec))
        ? complaintsAboutSentence(text)
        : complaintsAboutSpelling(text);
    return {
      Identifier: name,
      PrivateIdentifier: name,
      Literal(node) {
        if (typeof node.value === 'string' && !isModulePath(node.value))
          report(node.loc, complaintsAbout(node, node.value));
      },
      TemplateElement: (node) => report(node.loc, complaintsAbout(node.parent, node.value.cooked ?? '')),
      JSXText: (node) => report(node.loc, complaintsAboutSentence(node.value)),
      Program() {
        for (const comment of context.sourceCode.getAllComments())
          if (!/^\s*eslint-/.test(comment.value)) report(comment.loc, complaintsAboutComment(comment.value));
      },
    };
  },
};

/** A rule may be switched off for a line only, and only with a reason: `// eslint-disable-next-line rule -- reason`. */
const explainedException = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    return {
      Program() {
        for (const { value, loc } of context.sourceCode.getAllComments()) {
          if (/^\s*eslint-disable/.test(value) && !/^\s*eslint-disable-(?:next-)?line\s+\S.*\s--\s+\S/.test(value)) {
            context.report({
              loc,
              message:
                'Switch a rule off for one line, by name and with a reason: eslint-disable-next-line rule -- reason.',
            });
          }
        }
      },
    };
  },
};

function isFunction(declaration) {
  return (
    declaration.type === 'FunctionDeclaration' ||
    declaration.type === 'TSDeclareFunction' ||
    (declaration.type === 'VariableDeclaration' &&
      declaration.declarations.some(({ init }) => init != null && /Function|CallExpression/.test(init.type)))
  );
}

/** True for the title of a test and for the message of a log line. */
function isReadAsText(node, isSpec) {
  const { parent } = node;
  if (parent.type !== 'CallExpression' || !parent.arguments.includes(node)) return false;
  if (isSpec) return parent.arguments[0] === node && TESTS.test(calleeName(parent.callee));
  return parent.callee.type === 'MemberExpression' && LOGS.test(parent.callee.property.name);
}

/** `it` of `it(…)`, `it.skip(…)` and `it.each(…)(…)`. */
function calleeName(callee) {
  if (callee.type === 'CallExpression' || callee.type === 'TaggedTemplateExpression')
    return calleeName(callee.callee ?? callee.tag);
  return callee.type === 'MemberExpression' ? calleeName(callee.object) : (callee.name ?? '');
}

function isModulePath(text) {
  return /^(?:node:|\.{1,2}\/)\S+$/.test(text);
}

function pascalCase(name) {
  return name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The rules of this repository, as an ESLint plugin. */
export const localRules = {
  rules: { 'file-suffix': fileSuffix, 'plain-words': plainWords, 'explained-exception': explainedException },
};
