import type { Kind } from '../kinds/all.ts';

export interface PrinterColumn {
  name: string;
  type: 'string' | 'integer' | 'date';
  jsonPath: string;
  description: string;
  /** 1: only with `-o wide`. */
  priority?: 1;
}

const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Since creation.',
};

/** What `kubectl get` shows. */
export const PRINTER_COLUMNS: Record<Kind, PrinterColumn[]> = {
  BrowserSession: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Where it is in its life.' },
    { name: 'Pod', type: 'string', jsonPath: '.status.podName', description: 'Pod with the browser.' },
    age,
    { name: 'Run', type: 'string', jsonPath: '.status.run.state', description: 'State of its task.' },
    { name: 'Cost', type: 'string', jsonPath: '.status.cost.totalUsd', description: 'USD so far.' },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName', description: 'Node of the pod.', priority: 1 },
    { name: 'Reason', type: 'string', jsonPath: '.status.reason', description: 'Why it is there.', priority: 1 },
    { name: 'Place', type: 'integer', jsonPath: '.status.queuePosition', description: 'In the queue.', priority: 1 },
    { name: 'Tenant', type: 'string', jsonPath: '.status.tenant', description: 'Who pays.', priority: 1 },
    { name: 'Start', type: 'string', jsonPath: '.status.start', description: 'warm or cold.', priority: 1 },
    { name: 'Ends', type: 'string', jsonPath: '.status.expiresAt', description: 'At the latest.', priority: 1 },
    { name: 'Profile', type: 'string', jsonPath: '.spec.profileRef.name', description: 'Login state.', priority: 1 },
  ],
  BrowserPool: [
    { name: 'Warm', type: 'integer', jsonPath: '.status.warm', description: 'Can be claimed now.' },
    { name: 'Target', type: 'integer', jsonPath: '.status.target', description: 'Wanted now.' },
    { name: 'Claimed', type: 'integer', jsonPath: '.status.claimed', description: 'Serve a session.' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Warm pods are at their target.',
    },
    age,
    { name: 'Image', type: 'string', jsonPath: '.spec.image', description: 'Browser image.', priority: 1 },
  ],
  BrowserProfile: [
    { name: 'Version', type: 'integer', jsonPath: '.status.version', description: 'Current version.' },
    { name: 'Holder', type: 'string', jsonPath: '.status.holder.sessionName', description: 'Session that writes it.' },
    { name: 'Used', type: 'date', jsonPath: '.status.lastUsedAt', description: 'Last loaded.' },
    { name: 'Saved', type: 'date', jsonPath: '.status.lastSavedAt', description: 'Last written back.' },
    age,
    { name: 'Bytes', type: 'integer', jsonPath: '.status.sizeBytes', description: 'Size of the state.', priority: 1 },
    {
      name: 'Expires',
      type: 'string',
      jsonPath: '.status.expiresAt',
      description: 'Not loaded from then on.',
      priority: 1,
    },
  ],
  BrowserTenant: [
    { name: 'Namespace', type: 'string', jsonPath: '.spec.namespace', description: 'Where its sessions are.' },
    { name: 'Running', type: 'integer', jsonPath: '.status.running', description: 'Sessions with a browser.' },
    { name: 'Queued', type: 'integer', jsonPath: '.status.queued', description: 'Sessions that wait.' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Its namespace is isolated.',
    },
    age,
  ],
};
