import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { closeRecipients } from '../../../db/queries/campaigns/campaign-mails.ts';
import { API_GATE, CAMPAIGN_GATE } from '../../../db/queries/sends/send-gates.ts';
import { openMany, type SendIntent } from '../../../db/queries/sends/send-intents.ts';
import { closeMany } from '../../../db/queries/sends/send-outcomes.ts';
import { row } from '../../../db/rows.ts';
import type { SendOutcome } from '../../../domain/sends/send.ts';
import { IN_FLIGHT_MS } from '../../../domain/sends/submission-times.ts';
import { beginErasure, finishErasure } from '../../../usecases/contacts/erase-contact.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';
import { erase, tablesWith } from './erasing.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'newsletter');
});

/** A mail to the contact that is about to be opened. */
function intentTo(contactId: string, toEmail: string): SendIntent {
  return {
    ...{ id: uuidv7(), projectId: project.id, contactId, brandId: project.slug, toEmail, template: 'receipt', type: 'transactional' },
    ...{ subject: 's', sourceType: 'api', sourceId: null, identity: { by: 'nothing' }, journal: null },
  };
}

test('a mail that was made before the contact was erased is not opened after it, and leaves no row', async () => {
  const email = project.address();
  const id = await newContact(project, email);
  const intent = intentTo(id, email);
  must(await erase(project, id), 200);
  expect(await openMany(em, API_GATE, [intent])).toEqual([{ state: 'known' }]);
  expect(await openMany(em, CAMPAIGN_GATE, [intent])).toEqual([{ state: 'refused', verdict: { by: 'erased' } }]);
  expect(await row(em, sql`select 1 from sends where id = ${intent.id}`)).toBeUndefined();
});

describe('a worker that was frozen with a mail of a campaign in flight', () => {
  /** A mail to a new contact in a page that was opened longer ago than a mail is in flight. */
  async function frozenMail() {
    const { tag, emails } = await newAudience(project, 1);
    const email = emails[0]!;
    const { id } = must(await project.api.get(`/contacts?email=${email}`), 200).contacts[0];
    const scheduleAt = new Date(Date.now() + 3_600_000).toISOString();
    const campaign = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt });
    const openedAt = new Date(Date.now() - IN_FLIGHT_MS - 5_000);
    const intent: SendIntent = { ...intentTo(id, email), subject: `Dear ${email}`, sourceType: 'campaign', sourceId: campaign };
    await row(
      em,
      sql`insert into campaign_pages (campaign_id, no, state, token, available_at, opened_at, contact_ids, send_ids, subjects, variants)
          values (${campaign}, 0, 'open', ${uuidv7()}, 'infinity', ${openedAt}, array[${id}::uuid], array[${intent.id}::uuid], array[${intent.subject}], array[null]::text[])`,
    );
    const wakes = (outcome: SendOutcome) => closeRecipients(em, [{ intent, openedAt, outcome, hasWebhooks: false }]);
    const isGone = async () => {
      await row(em, sql`delete from campaign_pages where campaign_id = ${campaign}`);
      // Tags are counted as words of the project.
      expect([await tablesWith(em, email), await tablesWith(em, id)]).toEqual([[], []]);
      expect((await campaignOf(project, campaign)).sent_count + (await campaignOf(project, campaign)).failed_count).toBe(1);
    };
    return { id, email, intent, wakes, isGone };
  }

  test.each<SendOutcome>([
    { status: 'sent', providerId: 'p' },
    { status: 'failed', reason: 'provider_rejected', message: 'ADDRESS does not exist', badAddress: false },
  ])('writes its outcome, $status, and nothing of who was erased meanwhile', async (outcome) => {
    const { id, email, intent, wakes, isGone } = await frozenMail();
    must(await erase(project, id), 200);
    await wakes(outcome.status === 'sent' ? outcome : { ...outcome, message: outcome.message.replace('ADDRESS', email) });
    expect(await rowOf(intent.id)).toMatchObject({ to_email: '', status: outcome.status });
    await isGone();
  });

  test('and wakes while the contact is being erased, waits for that', async () => {
    const { id, intent, wakes, isGone } = await frozenMail();
    let written: Promise<unknown> | undefined;
    await (await database()).transactional(async (tx) => {
      await finishErasure(tx, (await beginErasure(tx, project.id, id))!, uuidv7());
      written = wakes({ status: 'sent', providerId: 'p' });
      await untilBlocked(tx);
    });
    await written;
    expect(await rowOf(intent.id)).toMatchObject({ to_email: '', status: 'sent' });
    await isGone();
  });
});

const isBegun = (id: string) => async () => (await row(em, sql`select 1 from erasures where contact_id = ${id}`)) !== undefined;
const rowOf = (id: string) => row(em, sql<{ to_email: string; status: string }>`select to_email, status from sends where id = ${id}`);

test('the answer waits for a mail in flight, and for one that is just being opened', async () => {
  const email = project.address();
  const id = await newContact(project, email);
  const [inFlight, opening] = [intentTo(id, email), intentTo(id, email)];
  expect(await openMany(em, API_GATE, [inFlight])).toMatchObject([{ state: 'opened' }]);
  let answered = false;
  let call: Promise<unknown> | undefined;
  const outcome = { status: 'sent', providerId: 'p' } as const;
  await (await database()).transactional(async (tx) => {
    expect(await openMany(tx, API_GATE, [opening])).toMatchObject([{ state: 'opened' }]);
    call = erase(project, id).then(({ status }) => {
      answered = true;
      return status;
    });
    await eventually(isBegun(id));
    await closeMany(em, [{ id: inFlight.id, outcome, hasWebhooks: false }]);
  });
  // Its intent is only now there to be seen.
  expect(await isBegun(id)()).toBe(true);
  expect(answered).toBe(false);
  await closeMany(em, [{ id: opening.id, outcome, hasWebhooks: false }]);
  expect(await call).toBe(200);
  for (const { id } of [inFlight, opening]) expect(await rowOf(id)).toMatchObject({ to_email: '', status: 'sent' });
});
