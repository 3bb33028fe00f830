import type { ModelEntry } from '@podwright/api/models';
import type { MicroUsd } from '@podwright/api/money';
import type { RunRecord } from '@podwright/api/run';
import { type Usage, addUsage, costOf } from '../models/price.ts';
import type { RunStore } from './run-store.ts';

/** Tokens and money of a run over all of its attempts. */
export interface Ledger {
  spent(): MicroUsd;
  /** What may still be spent; null: no limit. */
  left: () => MicroUsd | null;
  /** Counts a call and writes the new totals, so that each call is counted once whoever continues the run. */
  add: (usage: Usage) => Promise<void>;
}

export function createLedger(options: {
  record: RunRecord;
  price: ModelEntry['price'];
  store: RunStore;
  onTokens: (usage: Usage) => void;
}): Ledger {
  const { record, price, store } = options;
  const { maxCostMicroUsd } = record.request;
  let total: Usage = { input: record.inputTokens, cachedInput: record.cachedInputTokens, output: record.outputTokens };
  let spent = record.modelCostMicroUsd;

  return {
    spent: () => spent,
    left: () => (maxCostMicroUsd === null ? null : maxCostMicroUsd - spent),
    async add(usage) {
      total = addUsage(total, usage);
      spent += costOf(usage, price);
      options.onTokens(usage);
      await store.commit({
        inputTokens: total.input,
        cachedInputTokens: total.cachedInput,
        outputTokens: total.output,
        modelCostMicroUsd: spent,
      });
    },
  };
}
