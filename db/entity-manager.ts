import type { TransactionOptions } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { tryingDeadlocksAgain } from './deadlock.ts';
import { tellingOfMessages } from './outbox-signal.ts';

/**
 * The ORM's, whose transactions are tried again when they were the victim of a deadlock, so that what they do must bear to be done twice,
 * and notify the outbox's listeners when they have committed messages.
 */
export class OwnEntityManager extends EntityManager {
  override async transactional<T>(work: (tx: this) => T | Promise<T>, options?: TransactionOptions): Promise<T> {
    const run = (): Promise<T> => super.transactional(work, options);
    // Within a transaction it is a savepoint: a deadlock has ended all of it, and nothing has committed yet.
    return this.isInTransaction() ? run() : tryingDeadlocksAgain(() => tellingOfMessages(this, run));
  }
}
