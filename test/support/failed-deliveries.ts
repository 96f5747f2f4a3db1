import { sql } from 'kysely';
import { row } from '../../db/rows.ts';
import type { Everpost } from './everpost.ts';
import type { HttpReceiver } from './http-receiver.ts';
import { database, newProject, type TestProject } from './project.ts';
import { must } from './sequences.ts';
import { createEndpoint } from './webhook-endpoints.ts';

export interface FailedDeliveries {
  readonly id: string;
  readonly project: TestProject;
  /** Below the receiver's address. */
  readonly path: string;
  /** What the API says of the latest retry of all of them, and how many have failed. */
  latest(): Promise<{ failed: number; retry: Record<string, unknown> | null }>;
  begin(body?: object): ReturnType<TestProject['api']['post']>;
}

/** An endpoint with so many deliveries that have failed, made a second apart; every tenth is about a bounce. */
export async function failedDeliveries(
  receiver: HttpReceiver,
  path: string,
  count: number,
  everpost?: Pick<Everpost, 'databaseUrl'> & Everpost,
): Promise<FailedDeliveries> {
  const project = await newProject(everpost ? { everpost } : {});
  const { id } = await createEndpoint(project, `${receiver.url}${path}`);
  const em = await database(everpost?.databaseUrl);
  await row(
    em,
    sql`
      with made as (
        insert into webhook_events (project_id, type, data, created_at)
        select ${project.id}, case when n % 10 = 0 then 'email.bounced' else 'contact.subscribed' end, jsonb_build_object('n', n),
               now() - interval '2 days' + n * interval '1 second'
        from generate_series(1, ${count}) n returning id, created_at
      )
      insert into webhook_deliveries (project_id, endpoint_id, event_id, status, attempts, response_status, created_at, next_attempt_at)
      select ${project.id}, ${id}, id, 'failed', 6, 503, created_at, created_at + interval '1 hour' from made order by created_at`,
  );
  return {
    ...{ id, project, path },
    latest: async () => must(await project.api.get(`/webhooks/${id}/retries/latest`), 200),
    begin: (body) => project.api.post(`/webhooks/${id}/retries`, body),
  };
}
