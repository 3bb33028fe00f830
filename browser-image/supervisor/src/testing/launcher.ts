import { type IncomingMessage, createServer } from 'node:http';
import { once } from 'node:events';
import type { LauncherFacts } from '@podwright/api/pod-launcher';

/** Stands in for the launcher of the browser container, which is a program of that container alone. */
export interface TestLauncher {
  facts: LauncherFacts;
  screens: { width: number; height: number }[];
  /** Canaries that a probe reaches. */
  reachable: Set<string>;
  readonly stopped: boolean;
  close(): void;
}

export async function startLauncher(options: {
  socketPath: string;
  chromiumPid: number;
  onStop: () => void;
}): Promise<TestLauncher> {
  let stopped = false;
  const facts = {
    chromium: { pid: options.chromiumPid, running: true, version: '156' },
    display: { running: true, width: 1920, height: 1080 },
    vnc: { running: true },
    sandbox: {
      found: 'Seccomp',
      rendererPidLevels: 2,
      rendererSeccompFilters: 2,
      containerSeccomp: 2,
      userNamespace: false,
      noNewPrivileges: true,
      capabilities: '0000000000000000',
    },
  } as LauncherFacts;
  const screens: TestLauncher['screens'] = [];
  const reachable = new Set<string>();
  const server = createServer((request, response) => {
    void answer(request).then(
      (body) => response.writeHead(body === undefined ? 204 : 200).end(body === undefined ? '' : JSON.stringify(body)),
      () => response.writeHead(500).end(),
    );
  });

  async function answer(request: IncomingMessage): Promise<unknown> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    switch (request.url) {
      case '/facts':
        return facts;
      case '/screen':
        screens.push(JSON.parse(text) as { width: number; height: number });
        return undefined;
      case '/probe': {
        const { targets } = JSON.parse(text) as { targets: string[] };
        return { reached: targets.filter((target) => reachable.has(target)) };
      }
      default:
        stopped = true;
        options.onStop();
        return undefined;
    }
  }

  server.listen(options.socketPath);
  await once(server, 'listening');
  return {
    facts,
    screens,
    reachable,
    get stopped() {
      return stopped;
    },
    close: () => server.close(),
  };
}
