import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createClient } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import { expect, test } from 'vitest';
import { startControlPlane } from '../harness/control-plane.ts';
import { installCrds } from '../harness/crds.ts';

/** What other suites take for granted of the control plane they run on. */
test('a control plane serves our kinds, survives a restart and a pause, audits, and leaves nothing behind', async () => {
  const plane = await startControlPlane();
  try {
    const client = createClient({ connection: plane.connection, userAgent: 'podwright-test' });
    await installCrds(client);
    const session = { metadata: { name: 'one', namespace: 'default' }, spec: {} };
    await client.create(RESOURCE.browserSessions, session);
    await plane.restartApiServer();
    expect((await client.list(RESOURCE.browserSessions)).items.map(({ metadata }) => metadata.name)).toEqual(['one']);

    plane.pauseApiServer();
    await expect(client.list(RESOURCE.browserSessions, { timeoutMs: 300 })).rejects.toThrow('no answer in time');
    plane.resumeApiServer();
    await client.list(RESOURCE.browserSessions);

    const audited = (await readFile(plane.auditLogPath, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { verb: string; user: { username: string }; objectRef?: { name?: string } })
      .filter(({ verb, objectRef }) => verb === 'create' && objectRef?.name === 'one');
    expect(audited.map(({ user }) => user.username)).toEqual(['admin']);
  } finally {
    await plane.stop();
  }
  expect(existsSync(plane.directory)).toBe(false);
});
