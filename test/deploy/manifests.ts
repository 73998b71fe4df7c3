import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../support/api';
import { read } from '../conventions/docs.markdown';
import { parseEnvFile } from './settings';

/** The files of deploy/kubernetes by name. */
export type Files = Readonly<Record<string, string>>;

/** A container with what belongs to it. */
export interface Container {
  /** Kind and name of its document, for complaints. */
  owner: string;
  container: Json;
  pod: Json;
  /** From its own variables and the maps it takes them from. */
  variables: Record<string, string>;
}

/** All manifests, parsed. */
export interface Manifests {
  files: Files;
  documents: Json[];
  kustomization: Json;
  containers: Container[];
}

/** Reads deploy/kubernetes. */
export function readFiles(): Files {
  const paths = globSync('deploy/kubernetes/*.{yaml,env}', { cwd: `${__dirname}/../..` });
  return Object.fromEntries(paths.sort().map((path) => [basename(path), read(path)]));
}

/** The documents of these files. */
export function parse(files: Files): Manifests {
  const documents = Object.entries(files)
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()));
  const kustomization = documents.find(({ kind }) => kind === 'Kustomization');
  const containers = templatesIn(documents).flatMap(({ kind, metadata, template: { spec: pod } }) =>
    (pod.containers as Json[]).map((container) => ({
      owner: `${kind} ${metadata.name}`,
      container,
      pod,
      variables: variablesOf(container, kustomization, files),
    })),
  );
  return { files, documents, kustomization, containers };
}

/** The only document of a kind. */
export function find({ documents }: Manifests, kind: string): Json {
  const [document, ...more] = documents.filter((one) => one.kind === kind);
  if (document === undefined || more.length > 0) throw new Error(`There are ${more.length} more of ${kind}, or none.`);
  return document;
}

/** The templates of pods, with kind and metadata of the documents that make them. */
export function templatesIn(documents: readonly Json[]): { kind: string; metadata: Json; template: Json }[] {
  return documents
    .map(({ kind, metadata, spec }) => ({
      kind,
      metadata,
      template: spec?.template ?? spec?.jobTemplate?.spec.template,
    }))
    .filter(({ template }) => template !== undefined);
}

/** True if a selector matches these labels. */
export function selects(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

function variablesOf(
  { env = [], envFrom = [] }: Json,
  { configMapGenerator = [] }: Json,
  files: Files,
): Record<string, string> {
  const maps = (envFrom as Json[]).flatMap(({ configMapRef }) =>
    (configMapGenerator as Json[]).filter(({ name }) => name === configMapRef.name),
  );
  const fromMaps = maps.flatMap(({ envs }) => (envs as string[]).map((name) => parseEnvFile(files[name] ?? '')));
  return Object.assign(
    {},
    ...fromMaps,
    Object.fromEntries((env as Json[]).map(({ name, value }) => [name, value])),
  ) as Record<string, string>;
}
