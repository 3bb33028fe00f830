import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { INTERNAL_AUDIENCE } from '@podwright/api/names';
import { installation } from '../harness/installation.ts';
import { kubectl } from '../harness/kubectl.ts';

/** The keeper of the installation under test, as an administrator gets at it. */
const KEEPER = 'deployment/podwright-keeper';
const run = promisify(execFile);

export async function keeperReady(): Promise<void> {
  await kubectl('rollout', 'status', KEEPER, '-n', installation().namespace, '--timeout=120s');
}

/** How often login states in use are saved; restarts the keeper. */
export async function setSaveSeconds(seconds: number): Promise<void> {
  await kubectl('set', 'env', KEEPER, '-n', installation().namespace, `PODWRIGHT_PROFILE_SAVE_SECONDS=${seconds}`);
  await keeperReady();
}

/** SIGKILL for every pod of a part. */
export async function killPods(component: string): Promise<void> {
  const selector = `app.kubernetes.io/component=${component}`;
  await kubectl('delete', 'pods', '-n', installation().namespace, '-l', selector, '--grace-period=0', '--force');
}

async function inKeeper(...command: string[]): Promise<string> {
  return kubectl('exec', '-n', installation().namespace, KEEPER, '-c', 'keeper', '--', ...command);
}

/** Files of a profile in the keeper's volume. */
export async function bytesOf(namespace: string, profile: string): Promise<string[]> {
  const folder = `/var/lib/podwright/blobs/profiles/${namespace}/${profile}`;
  const found = await inKeeper('sh', '-c', `find ${folder} -type f 2>/dev/null || true`);
  return found.split('\n').filter((line) => line !== '');
}

/** A request to the keeper's door for other parts, as the gateway. */
export async function keeperDoor(
  method: 'GET' | 'PUT',
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const account = ['-n', installation().namespace, `--audience=${INTERNAL_AUDIENCE}`];
  const token = (await kubectl('create', 'token', 'podwright-gateway', ...account)).trim();
  const request = {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  };
  const script = `fetch('http://127.0.0.1:8082${path}', ${JSON.stringify(request)})
    .then(async (answer) => console.log(JSON.stringify({ status: answer.status, body: await answer.json() })))`;
  return JSON.parse(await inKeeper('node', '-e', script)) as { status: number; body: unknown };
}

/** `make rotate-profile-key`, without make: what it printed. */
export async function rotateKey(variables: Record<string, string>): Promise<string> {
  const { stdout } = await run('node', ['scripts/installation/rotate-profile-key.ts'], {
    env: { ...process.env, ...variables },
  });
  return stdout;
}
