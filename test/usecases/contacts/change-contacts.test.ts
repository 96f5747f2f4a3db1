import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { rows } from '../../../db/rows.ts';
import { CONTACT_FIELDS } from '../../../domain/conditions/condition.ts';
import type { ContactInput } from '../../../domain/contacts/contact.ts';
import { upsertContacts } from '../../../usecases/contacts/upsert-contacts.ts';
import { enrollmentWorkflowId } from '../../../workflows/contracts.ts';
import { fork, is } from '../../domain/sequences/graphs.ts';
import { newFlow, standsAt } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, newContact } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
let email: string;
/** Of a run that waits for a condition about the contact. */
let enrollmentId: string;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  email = project.address();
  await newContact(project, email, { firstName: 'Ann', tags: ['a'], attributes: { plan: 'free' } });
  const wait = { id: 'w', kind: 'wait_until', config: { condition: is('never'), timeoutMinutes: DAY_MINUTES } };
  enrollmentId = await (await newFlow(project, fork(wait, ['met', 'timeout']))).enroll(email);
  await standsAt(em, enrollmentId, 'w');
});

/** Whether an upsert with this input makes the run look again. The change is taken back. */
async function signals(input: Omit<ContactInput, 'email'>): Promise<boolean> {
  const tx = em.fork();
  await tx.begin();
  try {
    const origin = { source: 'test', ip: undefined, userAgent: undefined, isSandboxed: false, now: new Date() };
    const upsert = { projectId: project.id, defaultBrand: project.slug, isList: false, origin, newId: () => '' };
    await upsertContacts(tx, { ...upsert, inputs: [{ email, ...input }] });
    return (await rows(tx, sql`select 1 from outbox where workflow_id = ${enrollmentWorkflowId(enrollmentId)}`)).length > 0;
  } finally {
    await tx.rollback();
  }
}

const CHANGES: Readonly<Record<string, Omit<ContactInput, 'email'>>> = {
  status: { status: 'pending' },
  source: { source: 'elsewhere' },
  first_name: { firstName: null },
  last_name: { lastName: 'Bell' },
  display_name: { displayName: 'Ann B.' },
  tags: { tags: ['a', 'b'] },
  timezone: { timezone: 'Europe/Berlin' },
  locale: { locale: 'de' },
  attributes: { attributes: { plan: 'pro' } },
};

test.each(Object.entries(CHANGES))('a change of %s signals the runs that watch the contact', async (_, input) => {
  expect(await signals(input)).toBe(true);
});

test('every field that conditions know is among them, but for those that never change', () => {
  const changing = CONTACT_FIELDS.filter((field) => !['email', 'brand', 'created_at'].includes(field));
  expect(Object.keys(CHANGES).sort()).toEqual([...changing, 'attributes'].sort());
});

test('what conditions cannot see, or what is as it was, signals nobody', async () => {
  expect(await signals({ firstName: 'Ann', tags: ['a'], attributes: { plan: 'free' } })).toBe(false);
  expect(await signals({ consent: { source: 'form', ip: '192.0.2.1', userAgent: 'x' } })).toBe(false);
});
