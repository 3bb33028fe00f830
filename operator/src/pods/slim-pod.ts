import { SUPERVISOR_ENV } from '@podwright/api/names';
import type { Container, Pod } from '@podwright/kube/objects';

/**
 * A pod as the cache keeps it: what somebody asks of it, and not the template that it was made from. With ten thousand
 * pods the rest is most of the operator's memory. Texts that all pods of a template share are kept once.
 */
export function createSlimPod(): (pod: Pod) => Pod {
  const texts = new Map<string, string>();
  const once = (text: string): string => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    // Rotations and new images leave old texts behind; starting over costs one copy each.
    if (texts.size > 256) texts.clear();
    texts.set(text, text);
    return text;
  };

  const slimContainer = ({ name, image, env = [] }: Container): Container => ({
    name: once(name),
    image: once(image),
    // Which token keys a pod was started with is asked when keys are rotated.
    env: env.flatMap((variable) =>
      variable.name === SUPERVISOR_ENV.tokenKeys && variable.value !== undefined
        ? [{ name: SUPERVISOR_ENV.tokenKeys, value: once(variable.value) }]
        : [],
    ),
  });

  return ({ apiVersion, kind, metadata, spec, status }) => {
    const { annotations: _annotations, ...known } = metadata;
    const { containers, volumes: _v, securityContext: _s, tolerations: _t, imagePullSecrets: _i, ...rest } = spec;
    return {
      ...(apiVersion !== undefined && { apiVersion }),
      ...(kind !== undefined && { kind }),
      metadata: known,
      spec: { ...rest, containers: containers.map(slimContainer) },
      ...(status && {
        status: {
          ...pick(status, ['phase', 'reason', 'message', 'podIP', 'startTime', 'conditions']),
          ...(status.containerStatuses && {
            containerStatuses: status.containerStatuses.map((one) =>
              pick(one, ['name', 'ready', 'restartCount', 'state']),
            ),
          }),
        },
      }),
    };
  };
}

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Pick<
    T,
    K
  >;
}
