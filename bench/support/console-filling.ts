import { callApi } from './api-call.ts';
import type { BenchProject } from './bench-stack.ts';
import { type Filling, fillContacts, fillSends } from './filling.ts';

/** The key of the sequence that has many nodes and many runs. */
export const LARGE = 'large';

export interface ConsoleSize {
  readonly contacts: number;
  readonly sends: number;
  readonly templates: number;
  /** Of the large sequence. */
  readonly nodes: number;
  readonly runs: number;
}

/** Of campaigns; a tenth of it of segments and sequences. */
const LISTED = 300;

/** A project of this size, by SQL but for what the API has to validate. */
export async function fillConsole(filling: Filling, project: BenchProject, size: ConsoleSize): Promise<void> {
  const { database, progress } = filling;
  await database.query("set maintenance_work_mem = '512MB'");
  await fillContacts(filling, size.contacts);
  await fillSends(filling, size.sends, 0.1);
  progress('filling in the rest');
  await fillTroubles(filling, size);
  await fillTemplates(filling, size);
  await fillLists(filling, project, size);
  await fillRuns(filling, size);
  progress('vacuum analyze');
  await database.query('vacuum analyze');
}

/** One mail in fifty was refused or came back, and of those refused one in ten could not be rendered. */
async function fillTroubles({ database, project }: Filling, { sends }: ConsoleSize): Promise<void> {
  await database.query(
    `insert into sends (id, project_id, brand_id, to_email, template, type, subject, status, error, provider_id, source_type, closed_at, created_at,
                        delivery_status)
     select uuid_v7(), $1, b.slug, 'trouble-' || n || '@to.example', 'template-' || n % 40, 'marketing', 'News', case when n % 2 = 0 then 'failed' else 'sent' end,
            case when n % 20 = 0 then 'render_failed: required data is missing: name' when n % 2 = 0 then 'provider_rejected: no such mailbox' end,
            case when n % 2 = 1 then 'trouble-' || n end, 'api', now(), now() - make_interval(secs => n * 5),
            case n % 4 when 1 then 'bounced' when 3 then 'delivered' end
     from brands b, generate_series(1, $2::integer / 50) n`,
    [project.projectId, sends],
  );
}

async function fillTemplates({ database, project }: Filling, { templates }: ConsoleSize): Promise<void> {
  await database.query(
    `insert into project_templates (id, project_id, key, type, name, description, subject, data_schema, content, compiled)
     select uuid_v7(), $1, 'template-' || n, case when n % 3 = 0 then 'transactional' else 'marketing' end, 'Template ' || n, 'The letter number ' || n,
            'News ' || n, '[]', '{"version": 1, "blocks": []}', '{}'
     from generate_series(1, $2::integer) n`,
    [project.projectId, templates],
  );
  await database.query(
    `insert into template_settings (project_id, brand_id, template, enabled)
     select $1, b.slug, 'template-' || n, n % 4 > 0 from brands b, generate_series(1, $2::integer) n`,
    [project.projectId, templates],
  );
}

/** What the other lists show. */
async function fillLists({ database }: Filling, project: BenchProject, { contacts, nodes }: ConsoleSize): Promise<void> {
  for (let i = 0; i < LISTED / 10; i++) {
    await callApi(project, 'POST', '/segments', { label: `Segment ${i}`, filter: { tags: [`group-${i}`] } });
    await callApi(project, 'PUT', `/sequences/sequence-${i}`, graphOf(4, `Sequence ${i}`));
  }
  await callApi(project, 'PUT', `/sequences/${LARGE}`, graphOf(nodes, 'The large one'));
  for (let i = 0; i < 10; i++) await callApi(project, 'POST', '/webhooks', { url: `https://hooks.example.com/${i}` });
  await database.query(
    `insert into suppressions (project_id, email, reason, created_at)
     select $1, 'gone-' || n || '@to.example', (array['manual', 'bounce', 'complaint'])[1 + n % 3], now() - make_interval(secs => n)
     from generate_series(1, $2::integer / 50) n`,
    [project.projectId, contacts],
  );
  await database.query(
    `insert into campaigns (id, project_id, name, template, type, brand_id, subject, has_own_subject, audience, status, created_at, sent_at)
     select uuid_v7(), $1, 'Campaign ' || n, 'welcome', 'marketing', b.slug, 'News', true, '{"mode":"entire"}',
            (array['sent', 'sent', 'sent', 'cancelled'])[1 + n % 4], now() - make_interval(hours => n), now()
     from brands b, generate_series(1, $2::integer) n`,
    [project.projectId, LISTED],
  );
}

/** Runs at each node of the large sequence, some of which failed. */
async function fillRuns({ database, project }: Filling, { nodes, runs }: ConsoleSize): Promise<void> {
  await database.query(
    `insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, status, current_node_id, started_at, ended_at, end_reason,
                              failed_steps)
     select uuid_v7(), $1, s.id, s.version, c.id, case when n % 5 = 0 then 'active' when n % 500 = 1 then 'cancelled' else 'completed' end,
            case when n % 5 = 0 then 'n' || n % $4 end, now() - make_interval(secs => n), case when n % 5 > 0 then now() - make_interval(secs => n) end,
            case when n % 500 = 1 then 'failed' when n % 5 > 0 then 'exit' end, case when n % 500 = 1 then 1 else 0 end
     from sequences s, (select id, row_number() over () as n from contacts where project_id = $1 limit $2) c
     where s.project_id = $1 and s.key = $3`,
    [project.projectId, runs, LARGE, nodes - 2],
  );
  await database.query(
    `insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, outcome)
     select e.id, n, 'n' || n, 1, 'send_email', case when n = 12 and e.failed_steps > 0 then 'failed' else 'sent' end
     from enrollments e, generate_series(1, 12) n where e.project_id = $1`,
    [project.projectId],
  );
}

/** A tree of branches whose ways all end in the same exit. */
export function graphOf(size: number, name: string): object {
  const inner = Array.from({ length: size - 2 }, (_, index) => index);
  const below = (index: number): number[] => [2 * index + 1, 2 * index + 2].filter((each) => each < inner.length);
  const branch = (index: number) => ({ when: { field: 'attributes.plan', op: 'eq', value: `plan ${index}` } });
  return {
    name,
    status: 'draft',
    triggers: [],
    nodes: [
      { id: 'start', kind: 'trigger' },
      ...inner.map((index) =>
        below(index).length === 2
          ? { id: `n${index}`, kind: 'branch', config: branch(index) }
          : { id: `n${index}`, kind: 'send_email', config: { template: 'welcome' } },
      ),
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'n0' },
      ...inner.flatMap((index) => {
        const [left, right] = below(index);
        if (left === undefined) return [{ from: `n${index}`, to: 'end' }];
        if (right === undefined) return [{ from: `n${index}`, to: `n${left}` }];
        return [
          { from: `n${index}`, to: `n${left}`, branchKey: 'true' },
          { from: `n${index}`, to: `n${right}`, branchKey: 'false' },
        ];
      }),
    ],
  };
}
