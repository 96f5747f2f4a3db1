import { sql } from 'kysely';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import type { TestProject } from './project.ts';
import { must } from './sequences.ts';

/** Scripts of the mail server: a mail arrives, but the answer to it does not; a mail is refused for good. */
export const [UNKNOWN, REJECTED] = [{ dropAfterData: {} }, { rejectData: { code: 554, message: '5.7.1 no' } }] as const;

/** The first mail to this address that failed. */
export async function failedRow(em: EntityManager, email: string): Promise<SendRow> {
  return (await row(
    em,
    sql<SendRow>`select * from sends where to_email = ${email} and status = 'failed' order by created_at limit 1`,
  )) as SendRow;
}

/** A mail as the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into it
export async function sendRecord(project: Pick<TestProject, 'api'>, id: string): Promise<any> {
  return must(await project.api.get(`/sends/${id}`), 200).send;
}
