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
  data: Record<string, string>;
}

/** Guarded by its version. By standard input: what is on a command line can be read by everybody on the machine. */
async function replaceData(secret: Secret, data: Record<string, string>): Promise<void> {
  await run('kubectl', ['replace', '-f', '-'], { input: JSON.stringify({ ...secret, data }) });
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

const secret = await kubectlJson<Secret>('get', 'secret', SECRET, '-n', NAMESPACE);
const { data } = secret;
const current = Buffer.from(data['kid'] ?? '', 'base64').toString();
const retired = Object.keys(data).filter((name) => name.startsWith('retired-'));

if (process.env['RETIRE'] === '1') {
  await rewrap(current);
  await replaceData(secret, Object.fromEntries(Object.entries(data).filter(([name]) => !retired.includes(name))));
  console.log(`${retired.length} earlier keys left the Secret ${SECRET}; ${current} alone is needed from now on`);
} else {
  const kid = randomBytes(6).toString('hex');
  await replaceData(secret, {
    ...data,
    'wrapping.key': base64(randomBytes(32).toString('base64')),
    kid: base64(kid),
    [`retired-${current}.key`]: data['wrapping.key'] ?? '',
  });
  console.log(`key ${kid} is in the Secret ${SECRET}; the keeper sees it within about two minutes`);
  await hasten(kid);
  await rewrap(kid);
  console.log('Back the Secret up now. RETIRE=1 make rotate-profile-key takes the earlier keys out.');
}
