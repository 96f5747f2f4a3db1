import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { type EmbeddedStack, startEmbedded } from '../support/embedded-stack.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { createNamespace, deleteNamespace } from '../support/temporal-namespace.ts';

/** For its first minute the SDK takes a refused poll for a passing trouble, and before that both have to be ready. */
const PATIENCE_MS = 300_000;
const NAMESPACE = 'worker-failure';

let proxy: TcpProxy;
let pair: Everpost;
let start: EmbeddedStack;

// Both at the same time, since each waits that long.
beforeAll(async () => {
  const { temporalAddress, scratchDir } = testEnvironment();
  proxy = await tcpProxy(temporalAddress);
  const dataDir = await mkdtemp(join(scratchDir, 'worker-failure-'));
  await createNamespace(temporalAddress, NAMESPACE);
  [pair, start] = await Promise.all([
    startEverpost({ temporalAddress: proxy.address }),
    startEmbedded(dataDir, { TEMPORAL_ADDRESS: proxy.address, TEMPORAL_NAMESPACE: NAMESPACE }),
  ]);
  for (const program of [pair.worker!, start.program]) await eventually(() => program.lastLines(100).includes('"worker.started"'));
  await Promise.all([pair.namespace, NAMESPACE].map((namespace) => deleteNamespace(temporalAddress, namespace)));
  // Polls that the server holds open would be refused only when they come back.
  await proxy.down();
  await proxy.up();
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all([pair?.stop(), start?.stop()]);
  await proxy?.close();
});

/** What it wrote last, once it has ended with 1. */
async function lastWords(program: GuardedProcess): Promise<string> {
  expect(await program.ended).toBe(1);
  return program.lastLines(100);
}

const REASON = /^everpost: the worker for the task queue "[a-z-]+" failed: Namespace \S+ is not found\.$/m;

test(
  'a worker whose polls the server refuses for good stops in order and ends with 1, saying why, so that it is started again',
  async () => {
    const words = await lastWords(pair.worker!);
    expect(words).toMatch(REASON);
    expect(words).toContain('"worker.stopped"');
    expect(pair.api.running).toBe(true);
  },
  PATIENCE_MS,
);

test(
  'npm start ends as a whole when its worker fails, and says the same',
  async () => {
    const words = await lastWords(start.program);
    expect(words).toMatch(REASON);
    expect(words).toContain('"api.stopped"');
  },
  PATIENCE_MS,
);
