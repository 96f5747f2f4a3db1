import type { TransactionOptions } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { tryingDeadlocksAgain } from './deadlock.ts';

/** The ORM's, whose transactions are tried again when they were the victim of a deadlock: what they do must bear to be done twice. */
export class RetryingEntityManager extends EntityManager {
  override async transactional<T>(work: (tx: this) => T | Promise<T>, options?: TransactionOptions): Promise<T> {
    const run = (): Promise<T> => super.transactional(work, options);
    // Within a transaction it is a savepoint, and a deadlock has ended all of it.
    return this.isInTransaction() ? run() : tryingDeadlocksAgain(run);
  }
}
