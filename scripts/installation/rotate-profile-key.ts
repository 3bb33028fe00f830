/**
 * `make rotate-profile-key`: a new wrapping key for saved login states, without touching the states. The Secret gets the
 * new key and keeps the one before, the keeper picks both up, and every data key is wrapped anew; how far it is, is
 * printed. With RETIRE=1 no key is made: the earlier keys leave the Secret, if nothing needs them any more.
 */
import { randomBytes } from 'node:crypto';
import { NAMESPACE, RELEASE } from './place.ts';
import { kubectlJson, run } from './run.ts';

const SECRET = `${RELEASE}-wrapping-key`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Secret {
  metadata: { resourceVersion: string };
  data: Record<string, string>;
}

async function changeSecret(resourceVersion: string, data: Record<string, string | null>): Promise<void> {
  // By standard input: what is on a command line can be read by everybody on the machine.
  await run('kubectl', ['patch', 'secret', SECRET, '-n', NAMESPACE, '--type=merge', '--patch-file=/dev/stdin'], {
    input: JSON.stringify({ metadata: { resourceVersion }, data }),
  });
}

/** A kubelet looks at the Secrets of a pod once a minute, and at once when the pod object changes. */
async function hasten(kid: string): Promise<void> {
  const pods = ['pods', '-n', NAMESPACE, '-l', 'app.kubernetes.io/component=keeper', '--overwrite'];
  await run('kubectl', ['annotate', ...pods, `podwright.dev/wrapping-key=${kid}`]);
}

async function rewrap(kid: string): Promise<void> {
  const command = ['node', '/app/keeper-rewrap.mjs', kid];
  const printed = await run('kubectl', [
    'exec',
    '-n',
    NAMESPACE,
    `deployment/${RELEASE}-keeper`,
    '-c',
    'keeper',
    '--',
    ...command,
  ]);
  console.log(printed.trim());
}

const { metadata, data } = await kubectlJson<Secret>('get', 'secret', SECRET, '-n', NAMESPACE);
const current = Buffer.from(data['kid'] ?? '', 'base64').toString();
const retired = Object.keys(data).filter((name) => name.startsWith('retired-'));

if (process.env['RETIRE'] === '1') {
  await rewrap(current);
  await changeSecret(metadata.resourceVersion, Object.fromEntries(retired.map((name) => [name, null])));
  console.log(`${retired.length} earlier keys left the Secret ${SECRET}; ${current} alone is needed from now on`);
} else {
  const kid = randomBytes(6).toString('hex');
  await changeSecret(metadata.resourceVersion, {
    'wrapping.key': base64(randomBytes(32).toString('base64')),
    kid: base64(kid),
    [`retired-${current}.key`]: data['wrapping.key'] ?? '',
  });
  console.log(`key ${kid} is in the Secret ${SECRET}; the keeper sees it within about two minutes`);
  await hasten(kid);
  await rewrap(kid);
  console.log('Back the Secret up now. RETIRE=1 make rotate-profile-key takes the earlier keys out.');
}
