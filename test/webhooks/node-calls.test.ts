import { expect, test } from 'vitest';
import { createLogger, type LogFields, type Logger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { createNodeCalls } from '../../webhooks/node-calls.ts';

test('a node that is given up is one line, and so are all to one host of a project within ten minutes; the next line says how many more there were', () => {
  const lines: unknown[] = [];
  const log: Logger = { ...createLogger('silent'), warn: (event: string, fields?: LogFields) => void lines.push([event, fields]) };
  let at = 0;
  const calls = createNodeCalls({ log, metrics: createMetrics(), now: () => new Date(at) });
  const giveUp = (minutes: number, enrollmentId: string, host = 'crm.example', projectId = 'p1'): void => {
    at = minutes * 60_000;
    calls.givenUp({ enrollmentId, projectId, node: 'hook', host, answered: 503 });
  };
  for (let run = 0; run < 40; run++) giveUp(run / 5, `e${run}`);
  giveUp(8, 'other', 'other.example');
  giveUp(8, 'others', 'crm.example', 'p2');
  giveUp(10, 'later');
  giveUp(20, 'much later');
  const of = (run: string, host = 'crm.example', projectId = 'p1') => ({
    ...{ workflowId: `enrollment/${run}`, projectId, node: 'hook', host, answered: 503 },
  });
  expect(lines).toEqual([
    ['webhooks.node_failed', of('e0')],
    ['webhooks.node_failed', of('other', 'other.example')],
    ['webhooks.node_failed', of('others', 'crm.example', 'p2')],
    ['webhooks.node_failed', { ...of('later'), more: 39 }],
    ['webhooks.node_failed', of('much later')],
  ]);
});
