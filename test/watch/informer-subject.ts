import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type V1ConfigMap,
  makeInformer,
} from '@kubernetes/client-node';
import { pathOf } from '@podwright/kube/resource';
import type { Item, Subject, WatcherOptions } from './subject.ts';
import type { Telling } from './story.ts';

/** How long after an error it is started again: the figure of the library's own example. */
const RESTART_MS = 5_000;

/** The informer of @kubernetes/client-node, used as its example does: started again some seconds after an error. */
export const informerSubject: Subject = {
  name: 'client-node informer',
  async start(options) {
    const config = new KubeConfig();
    config.loadFromFile(options.kubeconfig);
    const path = pathOf(options.resource, { namespace: options.namespace });
    const informer = makeInformer<V1ConfigMap>(config, path, lister(config, options));
    const story: Telling[] = [];
    const tell =
      (type: Telling['type'], to: (told: Telling) => unknown) =>
      ({ metadata }: V1ConfigMap): void => {
        const { name = '', uid = '', resourceVersion = '' } = metadata ?? {};
        to({ type, name, uid, resourceVersion });
      };
    const listen = (to: (told: Telling) => unknown): void => {
      informer.on('add', tell('added', to));
      informer.on('update', tell('changed', to));
      informer.on('delete', tell('removed', to));
    };
    listen((told) => story.push(told));
    let stopped = false;
    informer.on('error', () => {
      setTimeout(() => {
        if (!stopped) void informer.start();
      }, RESTART_MS);
    });
    void informer.start();
    return {
      // The same objects under the library's own types.
      items: () => informer.list() as unknown as Item[],
      story,
      onChange: listen,
      async stop() {
        stopped = true;
        await informer.stop();
      },
    };
  },
};

function lister(
  config: KubeConfig,
  { resource, namespace }: WatcherOptions,
): () => Promise<KubernetesListObject<V1ConfigMap>> {
  if (resource.group === '') {
    const core = config.makeApiClient(CoreV1Api);
    return () => core.listNamespacedConfigMap({ namespace });
  }
  const { group, version, plural } = resource;
  const custom = config.makeApiClient(CustomObjectsApi);
  return async () =>
    (await custom.listNamespacedCustomObject({
      group,
      version,
      plural,
      namespace,
    })) as KubernetesListObject<V1ConfigMap>;
}
