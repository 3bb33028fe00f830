/** What the operator says of its own process. */
export interface ProcessFacts {
  residentMiB: number;
  heapMiB: number;
  cpuSeconds: number;
  /** Of the last collection interval, in milliseconds. */
  lagP50Ms: number;
  lagP99Ms: number;
  lagMaxMs: number;
}

export async function readProcess(metricsUrl: string): Promise<ProcessFacts> {
  const text = await (await fetch(metricsUrl)).text();
  const value = (name: string): number => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    if (line === undefined) throw new Error(`the operator has no metric ${name}`);
    return Number(line.slice(name.length + 1));
  };
  const MIB = 1024 * 1024;
  return {
    residentMiB: value('process_resident_memory_bytes') / MIB,
    heapMiB: value('nodejs_heap_size_used_bytes') / MIB,
    cpuSeconds: value('process_cpu_seconds_total'),
    lagP50Ms: value('nodejs_eventloop_lag_p50_seconds') * 1000,
    lagP99Ms: value('nodejs_eventloop_lag_p99_seconds') * 1000,
    lagMaxMs: value('nodejs_eventloop_lag_max_seconds') * 1000,
  };
}
