import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { firstLapse, lookUpFacts } from '../../../db/queries/conditions/condition-facts.ts';
import { rows } from '../../../db/rows.ts';
import type { Condition } from '../../../domain/conditions/condition.ts';
import { createJudge, type JudgedContact } from '../../../domain/conditions/judge.ts';
import { lapsingFacts } from '../../../domain/conditions/lapsing.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
let contact: JudgedContact & { readonly id: string };

/** So long ago that all of it is over, and not so long that a worker removes it. */
const AT = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 2 * 86_400_000);
const later = (hours: number) => new Date(AT.getTime() + hours * 3_600_000);

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
  const id = await newContact(project, project.address());
  contact = must(await project.api.get(`/contacts/${id}`), 200).contact;
  for (let n = 0; n < 3; n++) must(await project.api.post('/events', { type: 'login', contactId: id }), 200);
  const { id: providerId } = must(await project.api.post('/send', { template: 'receipt', contactId: id }), 200);
  // Logins at 0, 1 and 2 h; the mail sent at 0 h, opened and clicked first at 1 h and by a person again at 2 h, by a bot at 3 h.
  await rows(
    em,
    sql`update events set created_at = ${AT}::timestamptz + n * interval '1 hour'
        from (select id, row_number() over (order by id) - 1 as n from events where contact_id = ${id}) o where o.id = events.id`,
  );
  await rows(
    em,
    sql`update sends set created_at = ${AT}, last_event_at = ${later(2)}, delivery_status = 'delivered', first_opened_at = ${later(1)},
               first_clicked_at = ${later(1)} where contact_id = ${id}`,
  );
  for (const kind of ['opened', 'clicked'])
    for (const [isBot, hours] of [
      [false, 2],
      [true, 3],
    ] as const)
      await rows(
        em,
        sql`insert into send_hits (send_id, kind, is_bot, at)
            select id, ${kind}, ${isBot}, ${later(hours)} from sends where contact_id = ${id} and provider_id = ${providerId}`,
      );
});

interface Asked {
  readonly condition: Condition;
  readonly holds: boolean;
  readonly lapse: Date | undefined;
}

async function ask(condition: Condition, now: Date): Promise<Asked> {
  const about = { projectId: project.id, contactId: contact.id };
  const facts = await lookUpFacts(em, { ...about, conditions: [condition], event: undefined, now });
  const lapse = await firstLapse(em, about, lapsingFacts([condition], facts));
  return { condition, holds: createJudge(facts, undefined)(contact, condition), lapse };
}

const event = (atLeast: number): Condition => ({ event: { type: 'login', atLeast, withinHours: 24 } });
const email = (event: 'sent' | 'delivered' | 'opened' | 'clicked', template?: string): Condition => ({
  email: { event, withinHours: 24, ...(template ? { template } : {}) },
});

test.each([
  [event(1), 26],
  [event(2), 25],
  [event(3), 24],
  [email('sent'), 24],
  [email('sent', 'receipt'), 24],
  [email('delivered'), 26],
  [email('opened'), 26],
  [email('clicked', 'receipt'), 26],
])('what %j asks for is over at the instant that is foreseen, and not before', async (condition, hours) => {
  const before = await ask(condition, later(4));
  expect(before).toEqual({ condition, holds: true, lapse: later(hours) });
  expect(await ask(condition, before.lapse!)).toMatchObject({ holds: true });
  expect(await ask(condition, new Date(before.lapse!.getTime() + 1))).toEqual({ condition, holds: false, lapse: undefined });
});

test.each([
  ['event', event(1), 26],
  ['email', email('sent'), 24],
])('what a segment asks for is foreseen as well: an %s', async (kind, where, hours) => {
  const label = `lapsing-${kind}`;
  must(await project.api.post('/segments', { label, filter: { where } }), 201);
  expect(await ask({ segment: label }, later(4))).toMatchObject({ holds: true, lapse: later(hours) });
});

test('of several the first is foreseen, and what holds for ever or does not hold is none of them', async () => {
  const both: Condition = { any: [{ not: event(1) }, { all: [email('sent'), { event: { type: 'login' } }] }] };
  expect(await ask(both, later(4))).toMatchObject({ holds: true, lapse: later(24) });
  expect(await ask(both, later(25))).toMatchObject({ holds: false, lapse: later(26) });
  expect(await ask(both, later(27))).toMatchObject({ holds: true, lapse: undefined });
  expect(await ask(event(4), later(4))).toMatchObject({ holds: false, lapse: undefined });
  expect(await ask({ event: { type: 'login' } }, later(4))).toMatchObject({ holds: true, lapse: undefined });
});
