/**
 * The rest of SEND_CONCURRENCY is for what waits in the queue of sends: a slow provider must not hold up every workflow task, nor should local
 * activities pass by the queue for ever. Where a rate bounds the sends no mail goes locally, since the queue keeps the rate.
 */
export function shareOfQueue(sendConcurrency: number, sendRatePerSecond: number): number {
  return sendRatePerSecond > 0 ? sendConcurrency : Math.ceil(sendConcurrency / 4);
}
