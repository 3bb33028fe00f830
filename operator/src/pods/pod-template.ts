import { createHash } from 'node:crypto';
import { type BrowserPool, POOL_DEFAULTS, type SandboxMode } from '@podwright/api/kinds/pool';
import { BROWSER_ENV, CONTAINER, LABEL, POD_DIR, PORT, SUPERVISOR_ENV, UID } from '@podwright/api/names';
import type { PodEgressFloor, PoolDefaults } from '@podwright/api/pod-door';
import type { PublicKeySet } from '@podwright/api/tokens';
import type { Container, PodSpec, SecurityContext } from '@podwright/kube/objects';
import { labelValue } from './pod-names.ts';
import { type PoolLimits, poolOffence } from './pool-offence.ts';

/** What an installation adds to every browser pod. */
export interface PodSettings {
  installation: string;
  supervisorImage: string;
  tokenKeys: PublicKeySet;
  clusterCidrs: string[];
  /** `host:port` of the API server. */
  apiServer: string | undefined;
  /** `host:port` of the gateway's Service: a pod of the cluster that answers everybody whom no policy stops. */
  gateway: string | undefined;
  limits: PoolLimits;
  /** Whether every node that could run the pod gives user namespaces, and the installation wants them. */
  userNamespaces: boolean;
  priorityClass: string | undefined;
  imagePullSecrets: string[];
}

export interface PodTemplate {
  /** Labels of every pod of the pool, with the template's own hash. */
  labels: Record<string, string>;
  spec: PodSpec;
  hash: string;
  /** What the pool asks for and may not have: no pod is made of this template. */
  offence: string | undefined;
}

/** The seccomp profile that the chart places on nodes: RuntimeDefault plus what Chromium's own sandbox needs. */
const BROWSER_SECCOMP = 'podwright/browser.json';
/** Time for the supervisor to snapshot and be collected when a pod is ended from outside. */
const GRACE_SECONDS = 60;
/** Filled in by the kubelet wherever a later variable says `$(HOST_IP)`. */
const HOST_IP = 'HOST_IP';
/**
 * Destinations that must be out of reach of a browser, beside the API server and the gateway. The kubelet of its own
 * node answers on every cluster, so that failing to reach it means something; the metadata service only in clouds.
 */
const FIXED_CANARIES = [`$(${HOST_IP}):10250`, '169.254.169.254:80'];

/** Everything of a browser pod that its pool decides. Pods of another hash are replaced while they are not claimed. */
export function podTemplate(pool: BrowserPool, tenant: string, settings: PodSettings): PodTemplate {
  const { spec } = pool;
  const mode: SandboxMode = spec.sandbox?.mode ?? 'Auto';
  const userNamespace = mode === 'UserNamespace' || (mode === 'Auto' && settings.userNamespaces);
  const pod: PodSpec = {
    containers: [supervisor(pool, mode, settings), browser(pool, mode)],
    volumes: [
      { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
      { name: 'files', emptyDir: { sizeLimit: '2Gi' } },
      { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
      { name: 'tmp', emptyDir: { sizeLimit: '2Gi' } },
    ],
    securityContext: {
      runAsNonRoot: true,
      // Both containers write into the socket directory and the session's files.
      fsGroup: UID.sharedGroup,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(userNamespace && { hostUsers: false }),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // A browser that ended is a session that ended: it is never started again behind its owner's back.
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: GRACE_SECONDS,
    tolerations: ['not-ready', 'unreachable'].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 60,
    })),
    ...(spec.nodeSelector && { nodeSelector: spec.nodeSelector }),
    ...(mode === 'RuntimeClass' &&
      spec.sandbox?.runtimeClassName && { runtimeClassName: spec.sandbox.runtimeClassName }),
    ...(settings.priorityClass && { priorityClassName: settings.priorityClass }),
    ...(settings.imagePullSecrets.length > 0 && {
      imagePullSecrets: settings.imagePullSecrets.map((name) => ({ name })),
    }),
  };
  const hash = createHash('sha256').update(JSON.stringify(pod)).digest('hex').slice(0, 12);
  return {
    spec: pod,
    hash,
    offence: poolOffence(pool, settings.limits),
    labels: {
      'app.kubernetes.io/name': 'podwright',
      'app.kubernetes.io/component': 'browser',
      [LABEL.pool]: labelValue(pool.metadata.name),
      [LABEL.tenant]: labelValue(tenant),
      [LABEL.templateHash]: hash,
    },
  };
}

/** What the pool opens, fixed for the pod's life: a session narrows it at binding and never widens it. */
export function egressFloor(pool: BrowserPool, settings: Pick<PodSettings, 'clusterCidrs'>): PodEgressFloor {
  const { network } = pool.spec;
  return {
    egress: network?.egress ?? POOL_DEFAULTS.egress,
    allowedHosts: network?.allowedHosts ?? [],
    allowInternal: network?.allowInternal ?? [],
    clusterCidrs: settings.clusterCidrs,
  };
}

const confined = (user: number): SecurityContext => ({
  runAsUser: user,
  runAsGroup: UID.sharedGroup,
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
});

function supervisor(pool: BrowserPool, mode: SandboxMode, settings: PodSettings): Container {
  const defaults: PoolDefaults = {
    pool: pool.metadata.name,
    maxScreen: pool.spec.maxScreen ?? POOL_DEFAULTS.maxScreen,
    sandboxMode: mode,
    canaries: [settings.apiServer, settings.gateway, ...FIXED_CANARIES].filter((one) => one !== undefined),
  };
  return {
    name: CONTAINER.supervisor,
    image: pool.spec.supervisorImage ?? settings.supervisorImage,
    command: ['node', '/app/supervisor.mjs'],
    env: [
      { name: SUPERVISOR_ENV.podUid, valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
      { name: HOST_IP, valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
      { name: SUPERVISOR_ENV.installation, value: settings.installation },
      { name: SUPERVISOR_ENV.tokenKeys, value: JSON.stringify(settings.tokenKeys) },
      { name: SUPERVISOR_ENV.egressFloor, value: JSON.stringify(egressFloor(pool, settings)) },
      { name: SUPERVISOR_ENV.poolDefaults, value: JSON.stringify(defaults) },
    ],
    ports: [{ name: 'door', containerPort: PORT.podDoor }],
    // A quarter of a core in bursts is enough to forward screens; memory is Node's own plus buffers in flight.
    resources: { requests: { cpu: '20m', memory: '64Mi' }, limits: { memory: '384Mi' } },
    volumeMounts: [
      { name: 'run', mountPath: POD_DIR.run },
      { name: 'files', mountPath: POD_DIR.files },
    ],
    securityContext: confined(UID.supervisor),
    readinessProbe: {
      httpGet: { path: '/readyz', port: PORT.podDoor },
      periodSeconds: 1,
      timeoutSeconds: 2,
      failureThreshold: 5,
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

function browser(pool: BrowserPool, mode: SandboxMode): Container {
  const { width, height } = pool.spec.maxScreen ?? POOL_DEFAULTS.maxScreen;
  const { requests, limits } = pool.spec.resources ?? {};
  return {
    name: CONTAINER.browser,
    image: pool.spec.image,
    env: [
      { name: BROWSER_ENV.maxScreen, value: `${width}x${height}` },
      { name: BROWSER_ENV.sandboxMode, value: mode },
      { name: BROWSER_ENV.extraFlags, value: JSON.stringify(pool.spec.chromiumFlags ?? []) },
    ],
    resources: {
      requests: { cpu: '100m', memory: '384Mi', ...requests },
      limits: { memory: '2Gi', ...limits },
    },
    volumeMounts: [
      { name: 'run', mountPath: POD_DIR.run },
      { name: 'files', mountPath: POD_DIR.files },
      { name: 'shm', mountPath: '/dev/shm' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
    securityContext: {
      ...confined(UID.browser),
      // Under a RuntimeClass too: Chromium's own sandbox needs it wherever the runtime filters at all.
      seccompProfile:
        mode === 'None' ? { type: 'RuntimeDefault' } : { type: 'Localhost', localhostProfile: BROWSER_SECCOMP },
    },
    terminationMessagePolicy: 'File',
  };
}
