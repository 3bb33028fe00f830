import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ReflectorHealth } from '@podwright/kube/reflector';
import { COST_COMPONENTS, type CostComponent } from './metering/cost-ledger.ts';
import { TUNNEL_KINDS, type TunnelKind } from './tunnel/tunnel-registry.ts';

/** Series of the gateway. Labels are bounded: no id, no address, no text of a user. */
export interface Metrics {
  registry: Registry;
  answered: (fact: { method: string; route: string; status: number; seconds: number }) => void;
  tunnelBytes: (kind: TunnelKind, direction: 'in' | 'out', bytes: number) => void;
  badKey(): void;
}

export function createMetrics(sources: {
  tunnels: (kind: TunnelKind) => number;
  watches: () => ReflectorHealth[];
  /** Totals by tenant, from the one replica that exports them; null from the others. */
  costs: () => Promise<Map<string, Record<CostComponent, number>> | null>;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'podwright_gateway_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
    registers: [registry],
  });
  const tunnels = new Gauge({
    name: 'podwright_tunnels',
    help: 'Tunnels that stand on this replica.',
    labelNames: ['kind'],
    registers: [],
    collect() {
      for (const kind of TUNNEL_KINDS) this.set({ kind }, sources.tunnels(kind));
    },
  });
  const bytes = new Counter({
    name: 'podwright_tunnel_bytes_total',
    help: 'Bytes through tunnels; out is towards the client.',
    labelNames: ['kind', 'direction'],
    registers: [registry],
  });
  const badKeys = new Counter({
    name: 'podwright_gateway_bad_keys_total',
    help: 'Requests with a key that opens nothing.',
    registers: [registry],
  });
  const watches = new Gauge({
    name: 'podwright_watch_healthy',
    help: '1 while the watch of a kind is up.',
    labelNames: ['kind'],
    registers: [],
    collect() {
      for (const { kind, healthy } of sources.watches()) this.set({ kind }, healthy ? 1 : 0);
    },
  });
  const costs = new Counter({
    name: 'podwright_cost_usd_total',
    help: 'Cost since the ledger began.',
    labelNames: ['tenant', 'component'],
    registers: [],
    async collect() {
      // The ledger is the truth; the series only shows it, so it stays monotone across restarts.
      const known = await sources.costs().catch(() => null);
      this.reset();
      for (const [tenant, totals] of known ?? []) {
        for (const component of COST_COMPONENTS) this.inc({ tenant, component }, totals[component] / 1_000_000);
      }
    },
  });
  registry.registerMetric(tunnels);
  registry.registerMetric(watches);
  registry.registerMetric(costs);
  return {
    registry,
    answered: ({ method, route, status, seconds: took }) =>
      seconds.observe({ method, route, status: String(status) }, took),
    tunnelBytes: (kind, direction, count) => bytes.inc({ kind, direction }, count),
    badKey: () => badKeys.inc(),
  };
}
