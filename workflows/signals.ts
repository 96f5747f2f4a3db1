import { defineSignal } from '@temporalio/workflow';
import { CHANGED_SIGNAL, RETRY_NOW_SIGNAL } from './contracts.ts';

export const changed = defineSignal(CHANGED_SIGNAL);
export const retryNow = defineSignal(RETRY_NOW_SIGNAL);

/** Who waits for a signal alone looks again by itself, should it ever be lost. Milliseconds. */
export const RECHECK_MS = 30 * 60_000;
