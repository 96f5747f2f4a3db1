import { isLargerThan } from '../json-size.ts';

/** docs/contract/templates.md 28 and 29: of a project. */
export const MOST_SAVED_BLOCKS = 100;
export const MAX_SAVED_BLOCK_KB = 16;

/** Whether it is too large to be kept. */
export function isTooLargeToSave(block: unknown): boolean {
  return isLargerThan(block, MAX_SAVED_BLOCK_KB * 1024);
}
