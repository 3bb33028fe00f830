/** `make down CLUSTER=current`: takes out what `make up` put into somebody else's cluster, sessions first. */
import { rmSync } from 'node:fs';
import { DEMO, NAMESPACE, RELEASE, findPlace } from './place.ts';
import { run } from './run.ts';

const place = await findPlace();
const kubectl = (...args: string[]): Promise<string> => run('kubectl', args);
const say = (line: string): void => console.log(line);

// While the operator still runs: it is the one that ends browsers and lets go of its finalizers.
if ((await kubectl('get', 'crd', '--ignore-not-found', 'browsersessions.podwright.dev', '-o', 'name')) !== '') {
  say('sessions, pools and profiles');
  await kubectl(
    'delete',
    'browserpools,browsersessions,browserprofiles',
    '--all',
    '--all-namespaces',
    '--timeout=180s',
  );
}
say('release');
await run('helm', ['uninstall', RELEASE, '--namespace', NAMESPACE, '--ignore-not-found', '--wait', '--timeout', '3m']);
say('CRDs and namespaces');
await kubectl('delete', '--ignore-not-found', '--timeout=120s', '-f', 'charts/podwright/crds');
await kubectl(
  'delete',
  'namespace',
  '--ignore-not-found',
  '--timeout=180s',
  NAMESPACE,
  DEMO.namespace,
  DEMO.siteNamespace,
);
rmSync(place.folder, { recursive: true, force: true });
