import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Received } from './receiver.ts';

/**
 * A receiver of webhooks, as a program of its own on the port given: answers POST with 204, below /hang after 15 s, below /refuse with 503,
 * and counts what comes by path. GET /stats?path=/p tells.
 */
const HANGS_MS = 15_000;

interface Path extends Omit<Received, 'distinct'> {
  calls: number;
  lastMs: number;
  now: number;
  atOnce: number;
  readonly ids: Set<unknown>;
  readonly arrivals: { atMs: number; body: string }[];
}

const paths = new Map<string, Path>();
const nowMs = (): number => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (request.method === 'GET') {
    const path = paths.get(decodeURIComponent(url.split('path=')[1] ?? ''));
    const told = path ? { ...path, ids: undefined, distinct: path.ids.size } : { calls: 0, distinct: 0, firstMs: 0, lastMs: 0, atOnce: 0 };
    response.end(JSON.stringify(told));
    return;
  }
  const at = nowMs();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const path = paths.get(url) ?? { calls: 0, firstMs: at, lastMs: at, now: 0, atOnce: 0, ids: new Set(), arrivals: [] };
    paths.set(url, path);
    path.calls++;
    path.lastMs = at;
    path.atOnce = Math.max(path.atOnce, ++path.now);
    path.ids.add(request.headers['webhook-id']);
    if (url.startsWith('/keep')) path.arrivals.push({ atMs: at, body: Buffer.concat(chunks).toString() });
    if (url.startsWith('/hang')) await sleep(HANGS_MS);
    path.now--;
    response.writeHead(url.startsWith('/refuse') ? 503 : 204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
