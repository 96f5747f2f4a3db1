import { sql } from 'kysely';
import type { AliasPurpose } from '../../../domain/domains/records.ts';
import type { DomainStanding } from '../../../domain/domains/standing.ts';
import { SendingDomain, type SendingDomainRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { tables } from '../../tables.ts';
import { openRows } from '../operations/open-rows.ts';

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

/** Those that are verified and have a host of their own for this. */
export async function domainsWithHost(em: EntityManager, projectId: string, purpose: AliasPurpose): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<SendingDomainRow, 'domain'>>`
      select domain from sending_domains where project_id = ${projectId} and verified and findings -> ${purpose}::text ->> 'state' = 'found'`,
  );
  return found.map(({ domain }) => domain);
}

/** Those that have proved themselves by DNS and do so no more, by name. */
export async function failingDomains(em: EntityManager, projectId: string): Promise<SendingDomainRow[]> {
  return em.find(SendingDomain, { project_id: projectId, standing: 'failing' }, { orderBy: { domain: 'asc' } });
}

/** Adds the domain, or has an operator vouch for one that is there (`verified`). */
export async function setSendingDomain(
  em: EntityManager,
  input: { readonly id: string; readonly projectId: string; readonly domain: string; readonly verified: boolean },
): Promise<SendingDomainRow> {
  const { id, projectId, domain, verified } = input;
  return (
    tables(em)
      .insertInto('sending_domains')
      .values({ id, project_id: projectId, domain, vouched: verified, verified })
      // Not to vouch changes nothing, but gives the row.
      .onConflict((of) => of.columns(['project_id', 'domain']).doUpdateSet(verified ? { vouched: true, verified } : { domain }))
      .returningAll()
      .executeTakeFirstOrThrow()
  );
}

/** Has an operator vouch for a domain; undefined when the project does not have it. */
export async function vouchForDomain(em: EntityManager, projectId: string, domain: string): Promise<SendingDomainRow | undefined> {
  await em.nativeUpdate(SendingDomain, { project_id: projectId, domain }, { vouched: true, verified: true });
  return (await em.findOne(SendingDomain, { project_id: projectId, domain }, { refresh: true })) ?? undefined;
}

/** Of whatever project. */
export async function findDomainById(em: EntityManager, id: string): Promise<SendingDomainRow | undefined> {
  return (await em.findOne(SendingDomain, { id }, { refresh: true })) ?? undefined;
}

export async function findSendingDomain(em: EntityManager, projectId: string, id: string): Promise<SendingDomainRow | undefined> {
  return (await em.findOne(SendingDomain, { project_id: projectId, id }, { refresh: true })) ?? undefined;
}

/** The one of this name, and until the transaction ends nobody else adds one to the project; undefined when it has none. */
export async function holdSendingDomain(tx: EntityManager, projectId: string, domain: string): Promise<SendingDomainRow | undefined> {
  await row(tx, sql`select 1 from projects where id = ${projectId} for no key update`);
  return (await tx.findOne(SendingDomain, { project_id: projectId, domain }, { refresh: true })) ?? undefined;
}

/** Until the transaction ends nobody else changes it or its keys; undefined when it is gone. */
export async function lockSendingDomain(tx: EntityManager, id: string): Promise<SendingDomainRow | undefined> {
  const found = await row(tx, sql<{ found: number }>`select 1 as found from sending_domains where id = ${id} for no key update`);
  return found ? findDomainById(tx, id) : undefined;
}

export async function setEd25519(tx: EntityManager, id: string, ed25519: boolean): Promise<void> {
  await tx.nativeUpdate(SendingDomain, { id }, { ed25519 });
}

export async function countSendingDomains(em: EntityManager, projectId: string): Promise<number> {
  return em.count(SendingDomain, { project_id: projectId });
}

/** Whether there was one. */
export async function deleteSendingDomain(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  return (await em.nativeDelete(SendingDomain, { project_id: projectId, id })) === 1;
}

/**
 * Writes what was found of a domain's records, and what becomes of it. Undefined, and nothing is written, when the domain is gone or another check
 * was written meanwhile.
 */
export async function writeCheck(
  tx: EntityManager,
  before: SendingDomainRow,
  { standing, failingSince, findings, now }: DomainStanding & { readonly findings: SendingDomainRow['findings']; readonly now: Date },
): Promise<SendingDomainRow | undefined> {
  const { id, checked_at } = before;
  const written = await row(
    tx,
    sql<{ written: number }>`
      update sending_domains set standing = ${standing}, failing_since = ${failingSince ?? null}, verified = vouched or ${standing !== 'pending'},
        findings = ${JSON.stringify(findings)}::jsonb, checked_at = ${now}
      where id = ${id} and checked_at is not distinct from ${checked_at} returning 1 as written`,
  );
  return written ? findDomainById(tx, id) : undefined;
}

/** Whether the domain `d` has records to set, which a workflow looks after. */
export const IS_CHECKED = sql.raw('exists (select 1 from dkim_keys k where k.domain_id = d.id)');

/** Domains whose records are looked after. */
export const {
  batch: batchOfChecked,
  among: checkedAmong,
  toStart: checksToStart,
} = openRows('domainCheck', { table: 'sending_domains', alias: 'd', isOpen: IS_CHECKED });

export interface DomainCheckStart extends Pick<SendingDomainRow, 'id' | 'domain'> {
  readonly projectSlug: string;
}

/** What the workflows of these domains are started with. */
export async function domainCheckStarts(em: EntityManager, ids: readonly string[]): Promise<DomainCheckStart[]> {
  return rows(
    em,
    sql<DomainCheckStart>`
      select d.id, d.domain, p.slug as "projectSlug" from sending_domains d join projects p on p.id = d.project_id
      where d.id = any(${ids}::uuid[])`,
  );
}
