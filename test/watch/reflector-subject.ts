import { createClient } from '@podwright/kube/client';
import { connect } from '@podwright/kube/connection';
import { startReflector } from '@podwright/kube/reflector';
import { silent } from '../harness/kube.ts';
import type { Item, Subject } from './subject.ts';
import type { Telling } from './story.ts';

/** kube/src/reflector.ts, as the parts start it. */
export const reflectorSubject: Subject = {
  name: 'reflector',
  async start(options) {
    const connection = await connect({ now: Date.now, kubeconfig: options.kubeconfig });
    const reflector = startReflector<Item>({
      client: createClient({ connection, userAgent: 'podwright-test' }),
      resource: options.resource,
      namespace: options.namespace,
      now: Date.now,
      log: silent,
      ...(options.quietMs !== undefined && { quietMs: options.quietMs }),
    });
    const story: Telling[] = [];
    const handlers: ((told: Telling) => unknown)[] = [];
    reflector.onChange(({ type, object: { metadata } }) => {
      const told: Telling = { type, name: metadata.name, uid: metadata.uid, resourceVersion: metadata.resourceVersion };
      story.push(told);
    });
    return {
      items: () => reflector.store.list(),
      story,
      onChange(handler) {
        handlers.push(handler);
        let past = true;
        reflector.onChange(({ type, object: { metadata } }) => {
          const { name, uid, resourceVersion } = metadata;
          return past ? undefined : handler({ type, name, uid, resourceVersion });
        });
        past = false;
      },
      async stop() {
        await reflector.stop();
        await connection.close();
      },
    };
  },
};
