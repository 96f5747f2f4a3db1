import type { MetricsExporterConfig } from '@temporalio/worker';
import { listenOnce } from '../listen-once.ts';

/** What the SDK counts itself: tasks, slots, polls, calls of the server. Every name begins with `temporal_`. */
export interface SdkMetrics {
  /** For the options of the runtime. */
  readonly exporter: MetricsExporterConfig;
  /** In the text format of Prometheus; nothing but `everpost_temporal_metrics_up 0` where it does not answer. */
  readonly text: () => Promise<string>;
}

const PATIENCE_MS = 2_000;
const UP = `# HELP everpost_temporal_metrics_up Whether the metrics of the Temporal SDK could be read
# TYPE everpost_temporal_metrics_up gauge
everpost_temporal_metrics_up`;

/** The SDK serves its metrics on an address of its own; this one only we ask. It would not say which port it got if it were asked for any. */
export async function sdkMetrics(): Promise<SdkMetrics> {
  const address = `127.0.0.1:${await listenOnce(0, '127.0.0.1')}`;
  return {
    exporter: { prometheus: { bindAddress: address, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true } },
    async text() {
      try {
        const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(PATIENCE_MS) });
        if (!answer.ok) throw new Error(`answered ${answer.status}`);
        return `${UP} 1\n${await answer.text()}`;
      } catch {
        return `${UP} 0\n`;
      }
    },
  };
}
