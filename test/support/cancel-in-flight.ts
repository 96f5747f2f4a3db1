import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import { eventually } from './eventually.ts';
import { scriptMail } from './mail.ts';
import type { TestProject } from './project.ts';
import { enrollmentBecomes, must } from './sequences.ts';
import type { SinkBehaviour } from './smtp-sink.ts';

/**
 * Cancels an enrollment whose mail to the address is held. The mail gets on when the row and the workflow have been told, however long that
 * takes: it is taken, unless the mail server shall behave otherwise.
 */
export async function cancelInFlight(
  em: EntityManager,
  project: Pick<TestProject, 'api'>,
  id: string,
  email: string,
  behaviour: SinkBehaviour = {},
): Promise<void> {
  await eventually(() => row(em, sql`select 1 from sends where enrollment_id = ${id}`));
  const cancel = project.api.delete(`/enrollments/${id}`);
  await enrollmentBecomes(em, id, ({ status }) => status === 'cancelled');
  await eventually(async () => !(await row(em, sql`select 1 from outbox where workflow_id = ${enrollmentWorkflowId(id)}`)));
  await scriptMail(email, behaviour);
  must(await cancel, 200);
}
