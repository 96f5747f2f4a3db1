import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { CONFIRMATION_GATE } from '../../../db/queries/sends/send-gates.ts';
import { openMany } from '../../../db/queries/sends/send-intents.ts';
import { CONFIRMATION_STATES, type ConfirmationState } from '../../../domain/contacts/confirmation.ts';
import { newConfirmation } from '../../support/confirmations.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';

let em: EntityManager;
let project: TestProject;
beforeAll(async () => {
  [em, project] = [await database(), await newProject()];
});

/** What the gate says of the mail of a confirmation in this state. */
async function verdictOf(state: ConfirmationState): Promise<object> {
  const { id, contactId, email } = await newConfirmation(em, project, { state });
  const [opened] = await openMany(em, CONFIRMATION_GATE, [
    {
      ...{ id: uuidv7(), projectId: project.id, contactId, brandId: project.slug, toEmail: email, template: 'confirm-subscription' },
      ...{ type: 'transactional', subject: 's', sourceType: 'confirmation', sourceId: id, journal: null },
      identity: { by: 'key', key: `confirmation/${id}/1/0`, requestHash: Buffer.alloc(32) },
    },
  ]);
  return opened as object;
}

test('the mail of a confirmation that was answered in the same moment is not opened, and has no row', async () => {
  expect(await verdictOf('waiting')).toMatchObject({ state: 'opened' });
  for (const state of CONFIRMATION_STATES.filter((each) => each !== 'waiting')) {
    expect(await verdictOf(state)).toEqual({ state: 'refused', verdict: { by: 'ended' } });
  }
  const rows = await em.getConnection().execute(`select 1 from sends where project_id = ?`, [project.id]);
  expect(rows).toHaveLength(1);
});
