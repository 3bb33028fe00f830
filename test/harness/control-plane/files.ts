import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a control plane keeps on disk, in a temporary directory of its own. */
export interface ControlPlaneFiles {
  directory: string;
  tokens: { admin: string; controllerManager: string };
  tokensFile: string;
  serviceAccountPrivateKey: string;
  serviceAccountPublicKey: string;
  auditPolicy: string;
  auditLog: string;
  certificates: string;
  at(name: string): string;
}

/** The server itself and its controllers are left out: what remains are the requests of whoever is under test. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:apiserver', 'system:kube-controller-manager'] },
    { level: 'None', nonResourceURLs: ['/*'] },
    { level: 'Metadata' },
  ],
};

export async function makeFiles(): Promise<ControlPlaneFiles> {
  const directory = await mkdtemp(join(tmpdir(), 'podwright-control-plane-'));
  removeWithThisProcess(directory);
  const at = (name: string): string => join(directory, name);
  const tokens = { admin: randomBytes(24).toString('hex'), controllerManager: randomBytes(24).toString('hex') };
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const files: ControlPlaneFiles = {
    directory,
    tokens,
    tokensFile: at('tokens.csv'),
    serviceAccountPrivateKey: at('service-account.key'),
    serviceAccountPublicKey: at('service-account.pub'),
    auditPolicy: at('audit-policy.json'),
    auditLog: at('audit.log'),
    certificates: at('certificates'),
    at,
  };
  const lines = [
    `${tokens.admin},admin,admin,system:masters`,
    `${tokens.controllerManager},system:kube-controller-manager,controllers,system:masters`,
  ];
  await Promise.all([
    writeFile(files.tokensFile, `${lines.join('\n')}\n`, { mode: 0o600 }),
    writeFile(files.serviceAccountPrivateKey, privateKey, { mode: 0o600 }),
    writeFile(files.serviceAccountPublicKey, publicKey),
    writeFile(files.auditPolicy, JSON.stringify(AUDIT_POLICY)),
  ]);
  return files;
}

/** A kubeconfig, for kubectl and for programs that read one. JSON is YAML. */
export async function writeKubeconfig(
  path: string,
  options: { url: string; files: ControlPlaneFiles; user: Record<string, unknown> },
): Promise<string> {
  // The server signs its own certificate at its first start.
  const cluster = { server: options.url, 'certificate-authority': join(options.files.certificates, 'apiserver.crt') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'control-plane', cluster }],
    users: [{ name: 'user', user: options.user }],
    contexts: [{ name: 'context', context: { cluster: 'control-plane', user: 'user', namespace: 'default' } }],
    'current-context': 'context',
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

/**
 * Removes the directory when this process is gone, even by SIGKILL: a shell in a group of its own waits for the end of
 * its input, which is then closed by the kernel. The servers die by the same event, hence the second's patience.
 */
function removeWithThisProcess(directory: string): void {
  const script = 'cat >/dev/null; [ -e "$1" ] || exit 0; sleep 1; rm -rf "$1"';
  const guard = spawn('sh', ['-c', script, 'sh', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.stdin.on('error', () => {});
  (guard.stdin as unknown as { unref(): void }).unref();
}
