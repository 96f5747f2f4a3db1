import { progressToStderr as progress } from '../../local/progress.ts';
import { pruneExpired } from '../../usecases/operations/prune-expired.ts';
import type { Command } from './command.ts';

/** A line every so often. */
const LINE_MS = 1_000;

/** All at once of what a worker does a part of every minute; answers with the rows of each table that went, or would go. */
export const pruneCommand: Command = {
  name: 'prune',
  args: [],
  options: { 'dry-run': 'boolean' },
  usage: '[--dry-run]',
  async run({ em }, _, options) {
    const dryRun = options['dry-run'] === true;
    let toldAt = 0;
    const onBatch = (table: string, pruned: number): void => {
      if (pruned === 0 || Date.now() - toldAt < LINE_MS) return;
      toldAt = Date.now();
      progress(`${table}: ${pruned} rows ${dryRun ? 'would go' : 'gone'} so far`);
    };
    const pruned = await pruneExpired(await em(), { now: new Date(), dryRun, onBatch });
    return Object.entries(pruned).map(([table, rows]) => ({ table, rows }));
  },
};
