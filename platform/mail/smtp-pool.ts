import { type SmtpServer, SmtpSession, SmtpUnavailable } from './smtp-session.ts';

/** Below the idle limit of common servers, so that most connections are closed by us and not under us. */
const IDLE_SECONDS = 20;
const RESET_SECONDS = 2;

/** The right to one connection. Whatever session it holds at the end goes back to the pool. */
export interface SessionLease {
  /** A session that was kept open and seems alive; it may turn out not to be. */
  kept(): SmtpSession | undefined;
  /** A new session. Throws SmtpUnavailable. */
  fresh(deadline: number): Promise<SmtpSession>;
}

interface IdleSession {
  readonly session: SmtpSession;
  readonly since: number;
}

/** Keeps at most so many connections to one server, and closes those that nobody used for a while. */
export class SessionPool {
  readonly #server: SmtpServer;
  readonly #idle: IdleSession[] = [];
  /** Those who wait for a connection, first come first served. */
  readonly #waiting = new Set<() => void>();
  readonly #sweeper: NodeJS.Timeout;
  #free: number;
  #inUse = 0;
  #closed = false;
  #onIdle: () => void = () => {};

  constructor(server: SmtpServer, maxConnections: number) {
    this.#server = server;
    this.#free = maxConnections;
    this.#sweeper = setInterval(() => this.#closeIdle(Date.now() - IDLE_SECONDS * 1000), 1000).unref();
  }

  /** Runs the work with a lease. Throws SmtpUnavailable when none is free by the deadline (ms since the epoch). */
  async use<T>(deadline: number, work: (lease: SessionLease) => Promise<T>): Promise<T> {
    if (this.#closed) throw new SmtpUnavailable('the mail connections are closed');
    await this.#acquire(deadline);
    let held: SmtpSession | undefined;
    try {
      return await work({
        kept: () => {
          held = this.#newestIdle();
          return held;
        },
        fresh: async (until) => {
          held = await SmtpSession.open(this.#server, until);
          return held;
        },
      });
    } finally {
      void this.#release(held);
    }
  }

  /** Lets running work end, then says good-bye on every connection. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    if (this.#inUse > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    this.#closeIdle(Number.POSITIVE_INFINITY);
  }

  #acquire(deadline: number): Promise<void> {
    this.#inUse++;
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const take = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(
        () => {
          this.#waiting.delete(take);
          this.#leave();
          reject(new SmtpUnavailable('no connection to the mail server became free in time'));
        },
        Math.max(deadline - Date.now(), 1),
      );
      this.#waiting.add(take);
    });
  }

  async #release(session: SmtpSession | undefined): Promise<void> {
    // The caller has its answer already; only the next user of the connection waits for this.
    if (session?.needsReset) await session.reset(Date.now() + RESET_SECONDS * 1000);
    if (session?.alive) this.#idle.push({ session, since: Date.now() });
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#free++;
    this.#leave();
  }

  #leave(): void {
    if (--this.#inUse === 0) this.#onIdle();
  }

  #newestIdle(): SmtpSession | undefined {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined || idle.session.alive) return idle?.session;
    }
  }

  #closeIdle(before: number): void {
    while (this.#idle[0] && this.#idle[0].since < before) this.#idle.shift()?.session.quit();
  }
}
