import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';

/** Of the transaction that is running here: whether it has written messages. */
const transactions = new AsyncLocalStorage<{ hasMessages: boolean }>();

/** By the configuration, which every entity manager of one database shares. */
const listeners = new WeakMap<object, Set<() => void>>();

/** Calls `wake` after each commit of this process that brought messages into the outbox. Returns how to stop that. */
export function onOutboxCommit(orm: MikroORM, wake: () => void): () => void {
  const all = listeners.get(orm.config) ?? new Set();
  listeners.set(orm.config, all);
  all.add(wake);
  return () => void all.delete(wake);
}

/** To be called by whatever has written messages: the listeners are notified when they are committed, which they are at once outside of a transaction. */
export function noteMessages(em: EntityManager): void {
  const transaction = em.isInTransaction() ? transactions.getStore() : undefined;
  if (transaction) transaction.hasMessages = true;
  else notify(em);
}

/** Runs a whole transaction, and notifies the listeners when it has committed messages. */
export async function tellingOfMessages<T>(em: Pick<EntityManager, 'config'>, run: () => Promise<T>): Promise<T> {
  const transaction = { hasMessages: false };
  const result = await transactions.run(transaction, run);
  if (transaction.hasMessages) notify(em);
  return result;
}

function notify({ config }: Pick<EntityManager, 'config'>): void {
  for (const wake of listeners.get(config) ?? []) wake();
}
