import { join } from 'node:path';
import ts from 'typescript';
import type { Json } from '../support/api';

const ROOT = join(__dirname, '../..');
const FILE = join(ROOT, 'test/deploy/manifests-as-literals.ts');
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

/**
 * Kinds that kubernetes-models does not have, with the members that we use;
 * https://prometheus-operator.dev/docs/api-reference/api/ and https://kubectl.docs.kubernetes.io/references/kustomize/
 */
const OTHER_KINDS = `
import type { IObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta';
import type { ILabelSelector } from '@kubernetes-models/apimachinery/apis/meta/v1/LabelSelector';
interface IServiceMonitor {
  apiVersion: 'monitoring.coreos.com/v1'; kind: 'ServiceMonitor'; metadata: IObjectMeta;
  spec: { selector: ILabelSelector; endpoints: { port: string; path?: string; interval?: string; scrapeTimeout?: string; authorization?: { type?: string; credentials: { name: string; key: string } } }[] };
}
interface IKustomization {
  apiVersion: 'kustomize.config.k8s.io/v1beta1'; kind: 'Kustomization'; namespace?: string; resources: string[];
  configMapGenerator?: { name: string; envs?: string[] }[];
  labels?: { pairs: Record<string, string>; includeSelectors?: boolean }[];
}`;
const IS_OTHER = /^interface I(\w+)/gm;

const sources = new Map<string, ts.SourceFile | undefined>();

/**
 * TypeScript's errors about documents as literals of the types of their kinds: wrong types, missing members, and
 * unknown members,
 * which the JSON schemas of kubernetes-models let pass.
 */
export function typeErrors(documents: readonly Json[]): string[] {
  const text = [OTHER_KINDS, ...documents.map(literal)].join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const read = host.getSourceFile.bind(host);
  // The types of Kubernetes are read once.
  const cached: ts.CompilerHost['getSourceFile'] = (file, target) => {
    if (!sources.has(file)) sources.set(file, read(file, target));
    return sources.get(file);
  };
  const program = ts.createProgram([FILE], OPTIONS, {
    ...host,
    fileExists: (file) => file === FILE || host.fileExists(file),
    getSourceFile: (file, target) => (file === FILE ? ts.createSourceFile(file, text, target) : cached(file, target)),
  });
  const source = program.getSourceFile(FILE);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '),
  );
}

function literal(document: Json, index: number): string {
  const { apiVersion, kind } = document as { apiVersion: string; kind: string };
  const isOther = [...OTHER_KINDS.matchAll(IS_OTHER)].some(([, name]) => name === kind);
  const type = isOther ? `I${kind}` : `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`;
  return `export const document${index}: ${type} = ${JSON.stringify(document, null, 1)};`;
}
