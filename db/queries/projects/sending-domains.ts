import { SendingDomain, type SendingDomainRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { tables } from '../../tables.ts';

/** The project's sending domains by name. */
export async function listSendingDomains(em: EntityManager, projectId: string): Promise<SendingDomainRow[]> {
  return em.find(SendingDomain, { project_id: projectId }, { orderBy: { domain: 'asc' } });
}

/** Those from which the project may send, by name. */
export async function verifiedDomains(em: EntityManager, projectId: string): Promise<string[]> {
  const ofProject = tables(em).selectFrom('sending_domains').where('project_id', '=', projectId);
  const verified = await ofProject.select('domain').where('verified', '=', true).orderBy('domain').execute();
  return verified.map(({ domain }) => domain);
}

/** Adds the domain, or marks one that is there as verified. */
export async function setSendingDomain(
  em: EntityManager,
  input: { readonly id: string; readonly projectId: string; readonly domain: string; readonly verified: boolean },
): Promise<SendingDomainRow> {
  const { id, projectId, domain, verified } = input;
  return (
    tables(em)
      .insertInto('sending_domains')
      .values({ id, project_id: projectId, domain, verified })
      // Not to be verified changes nothing, but gives the row.
      .onConflict((of) => of.columns(['project_id', 'domain']).doUpdateSet(verified ? { verified } : { domain }))
      .returningAll()
      .executeTakeFirstOrThrow()
  );
}

/** Marks a domain as verified; undefined when the project does not have it. */
export async function verifySendingDomain(em: EntityManager, projectId: string, domain: string): Promise<SendingDomainRow | undefined> {
  await em.nativeUpdate(SendingDomain, { project_id: projectId, domain }, { verified: true });
  return (await em.findOne(SendingDomain, { project_id: projectId, domain }, { refresh: true })) ?? undefined;
}
