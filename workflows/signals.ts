import { defineSignal } from '@temporalio/workflow';
import { CHANGED_SIGNAL, RETRY_NOW_SIGNAL } from './contracts.ts';

export const changed = defineSignal(CHANGED_SIGNAL);
export const retryNow = defineSignal(RETRY_NOW_SIGNAL);
