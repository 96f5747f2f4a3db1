import { AggregatorRegistry } from 'prom-client';
import type { MetricFamily } from './metrics.ts';

/** What one of several processes has counted, and its place among them. */
export interface ProcessFamilies {
  readonly place: number;
  readonly families: readonly MetricFamily[];
}

/**
 * One page of several processes, whose samples stand side by side under the label `process`. They are not added up: of a process that was
 * replaced the sum would fall, and a fallen counter reads as one that began again.
 */
export async function pageOfProcesses(processes: readonly ProcessFamilies[]): Promise<string> {
  const labelled = processes.map(({ place, families }) =>
    families.map((family) => ({
      ...family,
      // By their labels no two samples are the same, so there is nothing to add up, and none that may be left out.
      aggregator: 'sum' as const,
      values: family.values.map((value) => ({ ...value, labels: { ...value.labels, process: String(place) } })),
    })),
  );
  return AggregatorRegistry.aggregate(labelled).metrics();
}
