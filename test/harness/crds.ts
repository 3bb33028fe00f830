import { readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@podwright/kube/client';
import type { CustomResourceDefinition } from '@podwright/kube/objects';
import { type KubeObject, RESOURCE, type ResourceType } from '@podwright/kube/resource';
import { parseAllDocuments } from 'yaml';

const FOLDER = resolve(import.meta.dirname, '../../crds');

/** Applies every CRD of crds/ and waits until its kind is served. */
export async function installCrds(client: Client, timeoutMs = 30_000): Promise<void> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(FOLDER, name), 'utf8')));
  const crds = texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as CustomResourceDefinition),
  );
  if (crds.length === 0) throw new Error(`no CRD in ${FOLDER}`);
  await Promise.all(
    crds.map((crd) => client.apply(RESOURCE.customResourceDefinitions, crd, { fieldManager: 'podwright-test' })),
  );
  await Promise.all(crds.map(({ metadata }) => untilServed(client, metadata.name, Date.now() + timeoutMs)));
}

async function untilServed(client: Client, name: string, deadline: number): Promise<void> {
  for (;;) {
    const { status } = await client.get(RESOURCE.customResourceDefinitions, { name });
    const established = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
    // Established comes a moment before the path answers.
    if (established && (await isListed(client, name))) return;
    if (Date.now() > deadline) throw new Error(`${name} is not served`);
    await sleep(50);
  }
}

async function isListed(client: Client, name: string): Promise<boolean> {
  const resource = Object.values<ResourceType<KubeObject>>(RESOURCE).find(
    ({ plural, group }) => `${plural}.${group}` === name,
  );
  if (!resource) throw new Error(`${name} is not among the kinds of kube/src/resource.ts`);
  return client.list(resource).then(
    () => true,
    () => false,
  );
}
