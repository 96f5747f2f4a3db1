import { migrateUp, migrationStatus } from '../migrate.ts';
import type { Command } from './command.ts';

/** A row for each migration, under the state that it is listed by. */
function byState(answer: unknown): { migration: string; state: string }[] {
  const states = Object.entries(answer as Readonly<Record<string, readonly string[]>>);
  return states.flatMap(([state, migrations]) => migrations.map((migration) => ({ migration, state })));
}

export const migrateCommands: readonly Command[] = [
  {
    name: 'migrate up',
    args: [],
    shown: byState,
    async run({ databaseUrl }) {
      return { applied: await migrateUp(databaseUrl) };
    },
  },
  {
    name: 'migrate status',
    args: [],
    shown: byState,
    async run({ databaseUrl }) {
      return migrationStatus(databaseUrl);
    },
  },
];
