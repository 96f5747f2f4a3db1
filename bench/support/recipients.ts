import { Client } from 'pg';

/** Contacts `person-0@to.example` and so on in a project, written by SQL. */
export async function addRecipients(databaseUrl: string, projectId: string, count: number): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(
      `insert into contacts (id, project_id, email, first_name, last_name, status, brand_id, source)
       select uuid_v7(), p.id, 'person-' || n || '@to.example', 'First' || n, 'Last' || n, 'subscribed', b.slug, 'import'
       from projects p join brands b on b.project_id = p.id, generate_series(0, $2::integer - 1) n
       where p.id = $1`,
      [projectId, count],
    );
    await database.query('analyze contacts');
  } finally {
    await database.end();
  }
}
