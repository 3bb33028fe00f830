import type { PoolReason } from '@podwright/api/conditions';
import { type BrowserPool, type SandboxMode } from '@podwright/api/kinds/pool';
import { LAUNCHER_EXIT } from '@podwright/api/pod-launcher';
import type { Node, Pod } from '@podwright/kube/objects';
import { containerOf } from '../pods/pod-state.ts';

/** Whether the pool gets the confinement that it asks for. */
export interface Confinement {
  status: 'True' | 'False';
  reason: PoolReason;
  message: string;
}

/** A pool that may not have what it asks for, or the first things that nodes lack for it, of all its pods and nodes. Pure. */
export function confinementOf(options: {
  pool: BrowserPool;
  offence: string | undefined;
  nodes: readonly Node[];
  pods: readonly Pod[];
}): Confinement {
  const { pool, offence, nodes, pods } = options;
  if (offence !== undefined) return { status: 'False', reason: 'NotAllowed', message: offence };
  const mode: SandboxMode = pool.spec.sandbox?.mode ?? 'Auto';
  const gaps = new Set(pods.map(gapOfPod).filter((gap) => gap !== undefined));
  const old = nodes.filter((node) => !givesUserNamespaces(node)).map((node) => node.metadata.name);
  const names = old.slice(0, MOST_NAMES).join(', ');
  if (mode === 'UserNamespace' && old.length > 0) {
    gaps.add(`no user namespaces for pods (container runtime or kernel too old) on ${names}`);
  }
  if (gaps.size > 0)
    return { status: 'False', reason: 'NodeLacks', message: [...gaps].slice(0, MOST_NAMES).join('; ') };
  if (mode === 'None')
    return { status: 'True', reason: 'AsAsked', message: 'without a sandbox, as the platform allows' };
  const fallback = mode === 'Auto' && old.length > 0 ? `; no user namespaces for pods on ${names}` : '';
  return { status: 'True', reason: 'AsAsked', message: `nodes give what sandbox mode ${mode} asks for${fallback}` };
}

const MOST_NAMES = 5;

const givesUserNamespaces = (node: Node): boolean =>
  node.status?.runtimeHandlers?.some(({ features }) => features?.userNamespaces === true) ?? false;

/** What the node of a pod lacks, as the kubelet or the launcher says it; undefined when the pod has no such trouble. */
function gapOfPod(pod: Pod): string | undefined {
  const browser = containerOf(pod, 'browser');
  const where = pod.spec.nodeName ?? 'its node';
  const waiting = browser?.state?.waiting?.message ?? '';
  if (/seccomp/i.test(waiting)) return `the seccomp profile of the browser is not on ${where}`;
  const ended = browser?.state?.terminated;
  if (ended?.exitCode === LAUNCHER_EXIT.chromium && NO_NAMESPACES.test(ended.message ?? '')) {
    return `unprivileged user namespaces are switched off on ${where} (AppArmor or sysctl)`;
  }
  return undefined;
}

/** The launcher's words when Chromium ended and the container cannot make a user namespace. */
const NO_NAMESPACES = /no unprivileged user namespaces/;
