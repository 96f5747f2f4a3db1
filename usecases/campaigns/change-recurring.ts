import { isDeepStrictEqual } from 'node:util';
import type { RecurringCampaignRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import {
  findRecurring,
  insertRecurring,
  insertRuns,
  lockRecurring,
  type RunsSoFar,
  type ShownRecurring,
  writeRecurring,
} from '../../db/queries/campaigns/recurring-campaigns.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { enqueue, recurringSchedule } from '../../db/queries/operations/outbox.ts';
import { givenColumns } from '../../domain/campaigns/draft.ts';
import type { Recurrence } from '../../domain/campaigns/recurrence.ts';
import { MAX_RECURRING, nextInstants } from '../../domain/campaigns/recurring.ts';
import { invalidRequest, Refusal, refuseStale } from '../../domain/errors.ts';
import { changedBy, type Asked as OfVersion } from './draft-campaign.ts';
import { comingNext, ended, missDue } from './recurring-turn.ts';

/** Whose recurring campaign is asked for, and by whom. Time goes by PostgreSQL's clock. */
export type Asked = Omit<OfVersion, 'now'>;

/** What it is made of: the columns that campaigns have as well, but their times. */
export interface RecurringFields {
  readonly fields: Omit<Parameters<typeof givenColumns>[0], 'scheduleAt' | 'endsAt'>;
  readonly endsAfterMinutes?: number | null | undefined;
}

export interface NewRecurring extends RecurringFields, Omit<Asked, 'ifVersion'> {
  /** What the rule is, once it is known when it is made. */
  readonly ruleAt: (now: Date) => Recurrence;
  readonly isSandboxed: boolean;
}

type Locked = RecurringCampaignRow & RunsSoFar;

/** Writes one, whose schedule is made by the outbox. Throws too_many_recurring_campaigns, and invalid_request where its rule never runs. */
export async function createRecurring(em: EntityManager, asked: NewRecurring): Promise<ShownRecurring> {
  const { projectId, id, keyId, isSandboxed, ruleAt } = asked;
  return em.transactional(async (tx) => {
    const now = await databaseClock(tx);
    const recurrence = ruleAt(now);
    const next = nextOf(recurrence, now, { made: 0, settled: [] }, now);
    const created = {
      ...columnsOf({ ...asked, fields: { ...LEFT_OPEN, ...asked.fields } }),
      ...{ id, project_id: projectId, recurrence, next_due_at: next, sandboxed: isSandboxed },
      ...{ created_at: now, changed_at: now, changed_by: keyId },
    };
    if (!(await insertRecurring(tx, created)))
      throw new Refusal('too_many_recurring_campaigns', `a project has at most ${MAX_RECURRING} recurring campaigns; end one`);
    return tell(tx, asked);
  });
}

/** What is left out is left to the template and the project. */
const LEFT_OPEN = {
  name: null,
  subject: null,
  type: null,
  brand: null,
  data: null,
  ratePerSecond: null,
  topic: null,
  variants: null,
  test: null,
  goal: null,
};

function columnsOf({ fields, endsAfterMinutes }: RecurringFields): Partial<RecurringCampaignRow> {
  const { scheduled_at: _, ends_at: __, ...columns } = givenColumns(fields);
  return { ...columns, ...(endsAfterMinutes === undefined ? {} : { ends_after_minutes: endsAfterMinutes }) };
}

/** Throws invalid_request where a rule has no instant any more. */
function nextOf(rule: Recurrence, madeAt: Date, { made, settled }: RunsSoFar, now: Date): Date {
  const [next] = nextInstants(rule, { madeAt, after: now, made, settled }, 1);
  if (!next) throw invalidRequest([{ path: 'recurrence', message: 'nothing runs by this rule from now on' }]);
  return next;
}

export interface RecurringChange extends RecurringFields, Asked {
  /** Of one that was made then; undefined: it stays. */
  readonly ruleAt: ((madeAt: Date) => Recurrence) | undefined;
}

/**
 * What is not given stays. What is due by the old rule and was not made is missed. Undefined when the project has no such recurring campaign. Throws
 * version_conflict, invalid_status, and invalid_request where the rule never runs.
 */
export async function changeRecurring(em: EntityManager, change: RecurringChange): Promise<ShownRecurring | undefined> {
  return inTurn(em, change, async (tx, recurring, now) => {
    const { status, created_at: madeAt } = recurring;
    refuseStale('recurring campaign', recurring.version, change.ifVersion);
    if (status === 'ended') throw new Refusal('invalid_status', 'this recurring campaign has ended');
    const recurrence = change.ruleAt?.(madeAt);
    await writeRecurring(tx, change.id, { ...columnsOf(change), ...changedBy(recurring, change.keyId, now) });
    // By the rule that it has already what is due is still to be made.
    if (!recurrence || isDeepStrictEqual(recurrence, recurring.recurrence)) return;
    const next = nextOf(recurrence, madeAt, recurring, now);
    await missDue(tx, recurring, 'changed', now);
    await writeRecurring(tx, change.id, { recurrence, ...(status === 'active' ? { next_due_at: next } : { paused_from: now }) });
  });
}

/** Pauses one, or lets it go on. What comes meanwhile is not made up for. As changeRecurring. */
export async function setRecurringPaused(em: EntityManager, asked: Asked, paused: boolean): Promise<ShownRecurring | undefined> {
  return inTurn(em, asked, async (tx, recurring, now) => {
    const { status } = recurring;
    if (status !== (paused ? 'active' : 'paused')) throw new Refusal('invalid_status', `this recurring campaign is ${status}`);
    await missDue(tx, recurring, 'paused', now);
    await writeRecurring(tx, asked.id, paused ? { status: 'paused', next_due_at: null, paused_from: now } : comingNext(recurring, now));
  });
}

/** Leaves out the next instant that has not come. It is the next version, and takes back no approval. As changeRecurring. */
export async function skipNext(em: EntityManager, asked: Asked): Promise<ShownRecurring | undefined> {
  return inTurn(em, asked, async (tx, recurring, now) => {
    const { id, status, version, recurrence, created_at: madeAt, next_due_at: nextDueAt, made, settled } = recurring;
    refuseStale('recurring campaign', version, asked.ifVersion);
    if (status !== 'active') throw new Refusal('invalid_status', `this recurring campaign is ${status}`);
    const [skipped] = nextInstants(recurrence, { madeAt, after: now, made, settled }, 1);
    if (!skipped) throw new Refusal('invalid_status', 'this recurring campaign has no further run');
    await insertRuns(tx, [{ recurring_id: id, due_at: skipped, outcome: 'skipped', reason: null, campaign_id: null, at: now }]);
    // What is due already runs still, and says what comes after it.
    const isDue = nextDueAt !== null && nextDueAt <= now;
    const next = isDue ? {} : comingNext({ ...recurring, settled: [...settled, skipped] }, now);
    await writeRecurring(tx, id, { ...next, version: version + 1 });
  });
}

/** Ends one for good; whatever its campaigns do goes on. One that has ended stays as it is. As changeRecurring. */
export async function endRecurring(em: EntityManager, asked: Asked): Promise<ShownRecurring | undefined> {
  return inTurn(em, asked, async (tx, recurring, now) => {
    if (recurring.status === 'ended') return;
    refuseStale('recurring campaign', recurring.version, asked.ifVersion);
    await missDue(tx, recurring, 'deleted', now);
    await writeRecurring(tx, asked.id, ended('deleted', now));
  });
}

/** Approves one as it is. As changeRecurring, and throws forbidden to the key that wrote the last change. */
export async function approveRecurring(em: EntityManager, asked: Asked): Promise<ShownRecurring | undefined> {
  return inTurn(em, asked, async (tx, recurring, now) => {
    const { version, status, changed_by } = recurring;
    if (status === 'ended') throw new Refusal('invalid_status', 'this recurring campaign has ended');
    refuseStale('recurring campaign', version, asked.ifVersion);
    if (changed_by === null || changed_by === asked.keyId)
      throw new Refusal('forbidden', 'this key wrote the last change of the recurring campaign: another one approves it');
    await writeRecurring(tx, asked.id, { approved_at: now, approved_by: asked.keyId });
  });
}

/** With its row locked; its schedule is told in the same transaction. */
async function inTurn(
  em: EntityManager,
  asked: Asked,
  change: (tx: EntityManager, recurring: Locked, now: Date) => Promise<void>,
): Promise<ShownRecurring | undefined> {
  return em.transactional(async (tx) => {
    const recurring = (await findRecurring(tx, asked.projectId, asked.id)) && (await lockRecurring(tx, asked.id));
    if (!recurring) return undefined;
    await change(tx, recurring, await databaseClock(tx));
    return tell(tx, asked);
  });
}

async function tell(tx: EntityManager, { projectId, id }: Pick<Asked, 'projectId' | 'id'>): Promise<ShownRecurring> {
  await enqueue(tx, projectId, [recurringSchedule(id)]);
  return (await findRecurring(tx, projectId, id)) as ShownRecurring;
}
