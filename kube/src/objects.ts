import type { ObjectMeta } from '@podwright/api/kinds/metadata';

/**
 * Built-in kinds as they travel: JSON, dates as strings, and only the fields that Podwright reads or writes.
 * (The classes of `@kubernetes/client-node` hold `Date`s, which raw watch events never contain.)
 */

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode: number; signal?: number; reason?: string; message?: string; finishedAt?: string };
}

export interface ContainerStatus {
  name: string;
  ready: boolean;
  restartCount: number;
  state?: ContainerState;
}

export interface KubeCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: { fieldRef: { fieldPath: string } };
}

export interface Probe {
  httpGet: { path: string; port: number };
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
}

export interface SecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  allowPrivilegeEscalation?: boolean;
  readOnlyRootFilesystem?: boolean;
  capabilities?: { drop: string[] };
  seccompProfile?: { type: 'RuntimeDefault' | 'Localhost' | 'Unconfined'; localhostProfile?: string };
}

export interface Container {
  name: string;
  image: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  command?: string[];
  args?: string[];
  env?: EnvVar[];
  ports?: { name: string; containerPort: number }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  securityContext?: SecurityContext;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  startupProbe?: Probe;
  terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
}

export interface PodSpec {
  nodeName?: string;
  containers: Container[];
  volumes?: { name: string; emptyDir: { medium?: 'Memory'; sizeLimit?: string } }[];
  securityContext?: { fsGroup?: number; fsGroupChangePolicy?: string; runAsNonRoot?: boolean } & SecurityContext;
  hostUsers?: boolean;
  hostname?: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  restartPolicy?: 'Never' | 'Always' | 'OnFailure';
  runtimeClassName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: { key: string; operator: 'Exists'; effect: string; tolerationSeconds?: number }[];
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  priorityClassName?: string;
  imagePullSecrets?: { name: string }[];
}

export interface Pod {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta & { deletionGracePeriodSeconds?: number };
  spec: PodSpec;
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    reason?: string;
    message?: string;
    podIP?: string;
    startTime?: string;
    conditions?: KubeCondition[];
    containerStatuses?: ContainerStatus[];
  };
}

export interface Secret {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
}

export interface ConfigMap {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  data?: Record<string, string>;
}

export interface Service {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: {
    clusterIP?: string;
    selector?: Record<string, string>;
    ports?: { name?: string; port: number; targetPort?: number | string; protocol?: string }[];
  };
}

export interface Node {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec?: { unschedulable?: boolean; taints?: { key: string; value?: string; effect: string }[] };
  status?: {
    conditions?: KubeCondition[];
    addresses?: { type: string; address: string }[];
    runtimeHandlers?: { name?: string; features?: { userNamespaces?: boolean } }[];
  };
}

export interface Namespace {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  status?: { phase?: string };
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: string[] }[];
}

export interface NetworkPolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

export interface NetworkPolicyPort {
  protocol: 'TCP' | 'UDP';
  port?: number | string;
  endPort?: number;
}

export interface NetworkPolicySpec {
  podSelector: LabelSelector;
  policyTypes: ('Ingress' | 'Egress')[];
  ingress?: { from?: NetworkPolicyPeer[]; ports?: NetworkPolicyPort[] }[];
  egress?: { to?: NetworkPolicyPeer[]; ports?: NetworkPolicyPort[] }[];
}

export interface NetworkPolicy {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: NetworkPolicySpec;
}

export interface PodDisruptionBudget {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: {
    selector: LabelSelector;
    minAvailable?: number;
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
}

export interface Lease {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    /** RFC 3339 with microseconds. */
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

/** An event of events.k8s.io/v1. */
export interface KubeEvent {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  eventTime: string;
  type: 'Normal' | 'Warning';
  reason: string;
  action: string;
  note: string;
  reportingController: string;
  reportingInstance: string;
  regarding: ObjectReference;
  related?: ObjectReference;
  series?: { count: number; lastObservedTime: string };
}

export interface CustomResourceDefinition {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: Record<string, unknown>;
  status?: { conditions?: KubeCondition[] };
}
