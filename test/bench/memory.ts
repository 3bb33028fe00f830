/**
 * `make bench-memory`: the memory of an idle session by process, with six of them on one node. Proportional set size
 * (PSS) counts a page that n processes share as 1/n for each. Prints a table in MiB per pod and a verdict on what lies
 * beside Chromium; exits with 1 when it falls short.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL } from '@podwright/api/names';
import { createTenant } from '../harness/installation.ts';
import { listObjects } from '../harness/kubectl.ts';
import { type ProcessMemory, readProcesses } from './process-memory.ts';

const count = Number(process.env['PODS'] ?? 6);
/** Aim of the project: everything but Chromium itself, MiB per pod. */
const aim = 60;
/** Chromium goes on for a while after its first page: caches, spare processes. */
const settleMs = Number(process.env['SETTLE_SECONDS'] ?? 20) * 1000;

interface Pod {
  metadata: { name: string; uid: string };
  spec: { nodeName: string; containers: { name: string; image: string }[] };
}

const parts = ['supervisor', 'Xvfb', 'VNC server', 'launcher', 'pause'] as const;
const chromium = ['browser', 'renderer', 'gpu-process', 'utility', 'zygote', 'crash handler'] as const;

/** What a process is called in the table. */
function kind(commandLine: string): string {
  const type = /--type=([a-z-]+)/.exec(commandLine)?.[1];
  if (commandLine.includes('chrome_crashpad_handler')) return 'crash handler';
  if (commandLine.includes('/chromium')) return type ?? 'browser';
  if (commandLine.includes('supervisor.mjs')) return 'supervisor';
  if (commandLine.includes('Xvfb')) return 'Xvfb';
  if (commandLine.includes('X0tigervnc')) return 'VNC server';
  if (commandLine.includes('podwright-launcher')) return 'launcher';
  if (/(^|\/)pause\b/.test(commandLine)) return 'pause';
  return commandLine.split(' ')[0] ?? '';
}

function perPod(processes: readonly ProcessMemory[], name: string): number {
  const kib = processes.filter((one) => kind(one.commandLine) === name).reduce((sum, one) => sum + one.pssKib, 0);
  return kib / 1024 / count;
}

const tenant = await createTenant('bench-memory', {
  tenant: { limits: { concurrentSessions: count, createsPerMinute: 10_000 } },
});
try {
  const names = Array.from({ length: count }, (_, index) => `idle-${index}`);
  // One after the other: six browsers that start at once are a load, not a measurement.
  for (const name of names) {
    await tenant.session(name);
    await tenant.phase(name, ['Ready', 'Idle'], 300_000);
    process.stderr.write(`\r${name} `);
  }
  process.stderr.write('\r');
  await sleep(settleMs);

  const pods = await listObjects<Pod>('pods', tenant.namespace, LABEL.sessionUid);
  const nodes = new Set(pods.map((pod) => pod.spec.nodeName));
  if (nodes.size > 1)
    console.log(`spread over ${nodes.size} nodes, so fewer pages are shared: ${[...nodes].join(', ')}`);
  const image = pods[0]!.spec.containers.find((container) => container.name === 'supervisor')!.image;
  const uids = pods.map((pod) => pod.metadata.uid);
  const processes = (await Promise.all([...nodes].map((node) => readProcesses({ node, image, podUids: uids })))).flat();

  const unknown = processes
    .map((one) => kind(one.commandLine))
    .filter((name) => ![...parts, ...chromium].includes(name as never));
  console.log(`| MiB PSS per pod, ${pods.length} idle sessions | |`);
  console.log('| --- | ---: |');
  let sum = { beside: 0, chromium: 0 };
  for (const name of chromium) {
    const mib = perPod(processes, name);
    sum = { ...sum, chromium: sum.chromium + mib };
    console.log(`| Chromium: ${name} | ${mib.toFixed(1)} |`);
  }
  console.log(`| **Chromium** | **${sum.chromium.toFixed(1)}** |`);
  for (const name of [...parts, ...new Set(unknown)]) {
    const mib = perPod(processes, name);
    sum = { ...sum, beside: sum.beside + mib };
    console.log(`| ${name} | ${mib.toFixed(1)} |`);
  }
  console.log(`| **beside Chromium** | **${sum.beside.toFixed(1)}** |`);
  const met = sum.beside <= aim;
  console.log(`${met ? 'met ' : 'MISS'} beside Chromium ${sum.beside.toFixed(1)} MiB per pod (aim <= ${aim})`);
  process.exitCode = met ? 0 : 1;
} finally {
  await tenant.remove();
}
