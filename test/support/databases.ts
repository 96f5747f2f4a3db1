import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { testEnvironment } from './environment.ts';

/** An empty database on the same server. */
export async function createDatabase(serverUrl: string): Promise<string> {
  return create(serverUrl, 'template1');
}

/** One that is migrated and empty otherwise: a copy of the one that `keepMigrated` has kept, since migrating takes half a second. */
export async function createMigrated(serverUrl: string): Promise<string> {
  return create(serverUrl, MIGRATED);
}

/** Keeps a copy of this database, which is migrated and which nobody is connected to. */
export async function keepMigrated(databaseUrl: string): Promise<void> {
  const server = new URL(databaseUrl);
  server.pathname = '/postgres';
  await onServer(server.href, `create database ${MIGRATED} template ${nameOf(databaseUrl)}`);
}

const MIGRATED = 'migrated';

async function create(serverUrl: string, template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, `create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Makes the database `to` what `from` is at this moment, and ends everybody's connection to either. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const [source, target] = [from, to].map(nameOf);
  const server = testEnvironment().databaseUrl;
  await dropDatabase(to);
  await onServer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${source}'`);
  await onServer(server, `create database ${target} template ${source}`);
}

/** With everybody's connection to it. */
export async function dropDatabase(url: string): Promise<void> {
  await onServer(testEnvironment().databaseUrl, `drop database if exists ${nameOf(url)} with (force)`);
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

async function onServer(databaseUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
