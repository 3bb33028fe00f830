import type { BrowserPool } from '@podwright/api/kinds/pool';
import { type PodSettings, type PodTemplate, podTemplate } from './pod-template.ts';

/** Pod templates of pools, made once per generation of a pool and of the settings. */
export interface Templates {
  of(pool: BrowserPool, tenant: string): PodTemplate;
}

export function createTemplates(options: { settings: () => PodSettings }): Templates {
  const known = new Map<string, { key: string; template: PodTemplate }>();
  let lastSettings: PodSettings | undefined;
  return {
    of(pool, tenant) {
      const settings = options.settings();
      if (settings !== lastSettings) known.clear();
      lastSettings = settings;
      const key = `${pool.metadata.generation} ${tenant}`;
      const { uid } = pool.metadata;
      const cached = known.get(uid);
      if (cached?.key === key) return cached.template;
      const template = podTemplate(pool, tenant, settings);
      known.set(uid, { key, template });
      return template;
    },
  };
}
