import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@podwright/kube/client';
import type { ControlPlane } from '../harness/control-plane.ts';
import { freePorts } from '../harness/control-plane/free-ports.ts';

const MAIN = resolve(import.meta.dirname, '../../operator/src/main.ts');
export const NAMESPACE = 'podwright-system';

/** An operator as its container runs it, on a control plane without nodes. */
export interface OperatorProcess {
  /** Its pod name; leases and logs say it. */
  name: string;
  /** Who it is in the audit log. */
  user: string;
  send(signal: NodeJS.Signals): void;
  /** Code or signal of its end. */
  readonly ended: Promise<string>;
  /** Waits until /readyz answers. */
  ready(): Promise<void>;
  /** The last lines of its log. */
  log(): Promise<string>;
}

/** Token keys and accounts that operators of this control plane use; made once. */
export async function prepareOperators(plane: ControlPlane): Promise<void> {
  const keys = join(plane.directory, 'token-key');
  await mkdir(keys);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const list = { operator: [{ kid: 'operator-1', pem: publicKey }], gateway: [], keeper: [] };
  await Promise.all([
    writeFile(join(keys, 'private.pem'), privateKey),
    writeFile(join(keys, 'kid'), 'operator-1'),
    writeFile(join(keys, 'keys.json'), JSON.stringify(list)),
  ]);
}

export async function startOperator(options: {
  plane: ControlPlane;
  admin: Client;
  name: string;
}): Promise<OperatorProcess> {
  const { plane, name } = options;
  const kubeconfig = await plane.kubeconfig(`${name}.kubeconfig`, { token: await accountOf(options.admin, name) });
  const [port] = await freePorts(1);
  const logFile = join(plane.directory, `${name}.log`);
  const keys = join(plane.directory, 'token-key');
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      KUBECONFIG: kubeconfig,
      PODWRIGHT_NAMESPACE: NAMESPACE,
      PODWRIGHT_POD_NAME: name,
      PODWRIGHT_TOKEN_KEY_DIR: keys,
      PODWRIGHT_TOKEN_KEYS_FILE: join(keys, 'keys.json'),
      PODWRIGHT_SUPERVISOR_IMAGE: 'supervisor:none',
      PODWRIGHT_HTTP_PORT: String(port),
    },
  });
  const log = createWriteStream(logFile, { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  const ended = new Promise<string>((done) => {
    child.once('exit', (code, signal) => done(signal ?? String(code)));
    child.once('error', (error) => done(error.message));
  });
  let over = false;
  void ended.then(() => (over = true));
  const operator: OperatorProcess = {
    name,
    user: `system:serviceaccount:${NAMESPACE}:${name}`,
    send: (signal) => void child.kill(signal),
    ended,
    async ready() {
      for (const deadline = Date.now() + 60_000; ; await sleep(50)) {
        const answered = await fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (answered) return;
        if (over || Date.now() > deadline) throw new Error(`${name} is not ready:\n${await operator.log()}`);
      }
    },
    async log() {
      const text = await readFile(logFile, 'utf8').catch(() => '');
      return text.trim().split('\n').slice(-15).join('\n');
    },
  };
  return operator;
}

/** A ServiceAccount with every right, and a token of it: an identity of its own in the audit log. */
async function accountOf(admin: Client, name: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
  await admin.raw('POST', accounts, { metadata: { name } });
  await admin.raw('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
  });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  return (await admin.raw<{ status: { token: string } }>('POST', `${accounts}/${name}/token`, request)).status.token;
}
