import { readdirSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

const FOLDER = new URL('./migrations/', import.meta.url);

type MigrationClass = new (...of: ConstructorParameters<typeof Migration>) => Migration;

interface NamedMigration {
  readonly name: string;
  readonly class: MigrationClass;
}

/** Every migration, in the order of their numbers: a file is one, and its name is how the database remembers it. Gaps mean nothing. */
export const MIGRATIONS: readonly NamedMigration[] = await Promise.all(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map(migrationOf),
);

async function migrationOf(file: string): Promise<NamedMigration> {
  const exported: unknown[] = Object.values((await import(new URL(file, FOLDER).href)) as object);
  const found = exported.find((value): value is MigrationClass => typeof value === 'function' && value.prototype instanceof Migration);
  if (!found) throw new Error(`db/migrations/${file} exports no migration`);
  return { name: file.slice(0, -'.ts'.length), class: found };
}
