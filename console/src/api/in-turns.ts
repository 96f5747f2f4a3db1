/** Makes calls one after the other, so that many that are slow leave room for others. One that is aborted while it waits is not made. */
export function inTurns(): <T>(call: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (call, signal) => {
    const mine = last.then(() => {
      signal.throwIfAborted();
      return call();
    });
    last = mine.catch(() => {});
    return mine;
  };
}
