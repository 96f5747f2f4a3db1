import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.ts';

/** The process id that stands in this file, which may be about to be written: an empty one reads as 0, and a signal to 0 is for all of one's own group. */
export async function notedPid(file: string): Promise<number> {
  return eventually(async () => Number((await readFile(file, 'utf8')).split('\n')[0]) || undefined);
}
