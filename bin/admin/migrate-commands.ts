import { migrateUp, migrationStatus } from '../migrate.ts';
import type { Command } from './command.ts';

export const migrateCommands: readonly Command[] = [
  {
    name: 'migrate up',
    args: [],
    async run({ databaseUrl }) {
      return { applied: await migrateUp(databaseUrl) };
    },
  },
  {
    name: 'migrate status',
    args: [],
    async run({ databaseUrl }) {
      return migrationStatus(databaseUrl);
    },
  },
];
