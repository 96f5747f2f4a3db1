import { sql } from 'kysely';
import { type GivenColumns, MAX_DRAFTS } from '../../../domain/campaigns/draft.ts';
import { ApiKey, type ApiKeyRow, Campaign, type CampaignRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

export interface NewDraft extends Pick<CampaignRow, 'id' | 'sandboxed'> {
  readonly projectId: string;
  readonly given: GivenColumns;
  /** The key that wrote it. */
  readonly changedBy: string;
  readonly now: Date;
}

/** False when the project has MAX_DRAFTS, also where several are made at once. */
export async function insertDraft(tx: EntityManager, { id, sandboxed, projectId, given, changedBy, now }: NewDraft): Promise<boolean> {
  await row(tx, sql`select 1 from projects where id = ${projectId} for no key update`);
  const drafts = await row(
    tx,
    sql<{ count: number }>`select count(*) as count from campaigns where project_id = ${projectId} and status = 'draft'`,
  );
  if (!drafts || drafts.count >= MAX_DRAFTS) return false;
  await tx.insert(Campaign, {
    ...given,
    ...{ id, project_id: projectId, status: 'draft', sandboxed, created_at: now, changed_at: now, changed_by: changedBy },
  });
  return true;
}

/** What a change writes beside what it gives. */
type Change = Partial<GivenColumns> &
  Pick<CampaignRow, 'version'> &
  Partial<
    Pick<
      CampaignRow,
      'status' | 'launched_at' | 'changed_at' | 'changed_by' | 'approved_at' | 'approved_by' | 'awaits_approval' | 'ab_decision'
    >
  >;

/** Of a campaign whose row is locked, and that has not begun; its goal of any. */
export async function writeCampaign(tx: EntityManager, id: string, change: Change): Promise<void> {
  await tx.nativeUpdate(Campaign, { id }, change);
}

/** Notes whose approval it has, as it is. */
export async function noteApproval(tx: EntityManager, id: string, approvedBy: string, now: Date): Promise<void> {
  await tx.nativeUpdate(Campaign, { id }, { approved_at: now, approved_by: approvedBy, awaits_approval: false });
}

/** Whether it was a draft, and is gone. */
export async function deleteDraft(tx: EntityManager, id: string): Promise<boolean> {
  return (await tx.nativeDelete(Campaign, { id, status: 'draft' })) === 1;
}

/** Whether a campaign that was changed after it was scheduled waits for its approval; also one whose project is gone does. */
export async function awaitsApproval(em: EntityManager, id: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ waits: boolean }>`
      select c.awaits_approval and p.campaign_approval as waits from campaigns c join projects p on p.id = c.project_id where c.id = ${id}`,
  );
  return found?.waits ?? true;
}

/** The names of these keys of the project; null where one has none. Keys that it does not have are left out. */
export async function namesOfKeys(em: EntityManager, projectId: string, ids: readonly string[]): Promise<Map<string, ApiKeyRow['name']>> {
  if (ids.length === 0) return new Map();
  const found = await em.find(ApiKey, { project_id: projectId, id: { $in: [...ids] } }, { fields: ['id', 'name'] });
  return new Map(found.map(({ id, name }) => [id, name]));
}
