import { Client } from 'pg';
import { openDatabase } from '../../db/orm.ts';
import { createDatabase } from './databases.ts';
import { testEnvironment } from './environment.ts';

/** The one project of such a database, which has a brand `p`. */
export const PROJECT = '00000000-0000-7000-8000-000000000001';

/** A database as an earlier version left it. */
export interface EarlierDatabase {
  readonly url: string;
  /** A session, ended by `close`. */
  connect(): Promise<Client>;
  /** Migrates up to and with this migration. */
  migrateTo(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Migrated up to and with this migration. */
export async function earlierDatabase(migration: string): Promise<EarlierDatabase> {
  const url = await createDatabase(testEnvironment().databaseUrl);
  const clients: Client[] = [];
  const database: EarlierDatabase = {
    url,
    async connect() {
      const client = new Client({ connectionString: url });
      await client.connect();
      clients.push(client);
      return client;
    },
    async migrateTo(name) {
      const orm = await openDatabase({ url, poolSize: 1, applicationName: 'everpost-test' });
      await orm.migrator.up({ to: name });
      await orm.close();
    },
    async close() {
      for (const client of clients) await client.end();
    },
  };
  await database.migrateTo(migration);
  const client = await database.connect();
  await client.query(`
    insert into projects (id, slug, name, inbound_id, sealed_link_secret, sealed_inbound_secret, sealed_webhook_secret)
    values ('${PROJECT}', 'p', 'p', 'p', '', '', '');
    insert into brands (project_id, slug, name) values ('${PROJECT}', 'p', 'p')`);
  return database;
}
