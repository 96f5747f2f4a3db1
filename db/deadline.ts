import type { EntityManager, MikroORM } from './orm.ts';

/** A fork whose transactions do not commit once the signal is aborted: they are rolled back and throw its reason. */
export function forkUntil(orm: MikroORM, deadline: AbortSignal): EntityManager {
  const em = orm.em.fork({ clear: true });
  const run = em.transactional.bind(em) as EntityManager['transactional'];
  const transactional: EntityManager['transactional'] = (work, options) =>
    run(async (tx: EntityManager) => {
      const result = await work(tx);
      deadline.throwIfAborted();
      return result;
    }, options);
  return Object.assign(em, { transactional });
}
