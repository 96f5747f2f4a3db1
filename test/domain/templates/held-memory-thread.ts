import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { parseLiquid, runLiquid } from '../../../domain/templates/liquid.ts';

/** What to measure: the memory that a parsed source keeps, or what is kept of dates that were written in these formats. */
export type Measured = { readonly source: string } | { readonly formats: readonly string[] };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are held as long as what the work gives is; each collection goes through this thread's memory alone. */
function heldBy(work: () => unknown): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const result = work();
  collect();
  const kept = process.memoryUsage().heapUsed - before;
  if (result === undefined) throw new Error('there is nothing to hold');
  return kept;
}

const write = (format: string): string => runLiquid(parseLiquid(`{{ d | date: "${format}" }}`), { d: '2026-05-04T00:00:00Z' }, 'text');

parentPort!.on('message', (measured: Measured) => {
  if ('formats' in measured) write('%A');
  parentPort!.postMessage(
    heldBy(() => ('source' in measured ? parseLiquid(measured.source, 'html') : measured.formats.map((format) => write(format).length))),
  );
});
