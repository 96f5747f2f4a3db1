import { LRUCache } from 'lru-cache';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { enrollmentWorkflowId } from '../workflows/contracts.ts';

/** A webhook node whose call was given up. */
export interface GivenUp {
  readonly enrollmentId: string;
  readonly projectId: string;
  /** Its id. */
  readonly node: string;
  readonly host: string;
  /** The status of its last answer, or why none came: never what a receiver wrote. */
  readonly answered: number | string;
}

/** What calls of webhook nodes come to, for operators. */
export interface NodeCalls {
  /** One try. `outcome`: `2xx` to `5xx`, or why no answer came. */
  called(outcome: string): void;
  givenUp(call: GivenUp): void;
}

/** A line for each host of a project so often at most, however many runs call it. */
const LINE_MS = 10 * 60_000;
/** Hosts that are remembered. */
const REMEMBERED = 10_000;

export interface NodeCallsDeps {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'webhookNodeCalled'>;
  readonly now: () => Date;
}

/** Counts each call and writes `webhooks.node_failed` where one was given up; `more`: how many were since the line before. */
export function createNodeCalls({ log, metrics, now }: NodeCallsDeps): NodeCalls {
  const lines = new LRUCache<string, { readonly atMs: number; more: number }>({ max: REMEMBERED });
  return {
    called: (outcome) => metrics.webhookNodeCalled(outcome),
    givenUp({ enrollmentId, projectId, node, host, answered }) {
      const key = `${projectId} ${host}`;
      const latest = lines.get(key);
      const at = now().getTime();
      if (latest && at - latest.atMs < LINE_MS) {
        latest.more++;
        return;
      }
      lines.set(key, { atMs: at, more: 0 });
      const fields = { workflowId: enrollmentWorkflowId(enrollmentId), projectId, node, host, answered };
      log.warn('webhooks.node_failed', latest?.more ? { ...fields, more: latest.more } : fields);
    },
  };
}
