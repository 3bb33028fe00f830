import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export interface AgentMetrics {
  registry: Registry;
  runs: Counter<'tenant' | 'outcome' | 'failure_kind'>;
  stepSeconds: Histogram<'part'>;
  modelTokens: Counter<'model' | 'kind'>;
  activeRuns: Gauge;
  takeovers: Counter;
}

/** Money is not among them: the gateway exports it from the records, once for all agents. */
export function createMetrics(): AgentMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    runs: new Counter({
      name: 'podwright_runs_total',
      help: 'Runs that ended, by tenant, outcome and kind of failure.',
      labelNames: ['tenant', 'outcome', 'failure_kind'],
      registers,
    }),
    stepSeconds: new Histogram({
      name: 'podwright_step_seconds',
      help: 'Parts of a step: looking at the page, asking the model, acting.',
      labelNames: ['part'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
      registers,
    }),
    modelTokens: new Counter({
      name: 'podwright_model_tokens_total',
      help: 'Tokens by model and kind: input (the cached ones left out), cached_input, output.',
      labelNames: ['model', 'kind'],
      registers,
    }),
    activeRuns: new Gauge({ name: 'podwright_agent_active_runs', help: 'Runs this agent works on.', registers }),
    takeovers: new Counter({
      name: 'podwright_agent_takeovers_total',
      help: 'Runs that were continued after another attempt.',
      registers,
    }),
  };
}
