import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { ImportSettings, ImportStatus, RefusedByReason, RowProblem, RowRefusal } from '../../domain/contacts/import.ts';

/** A file of contacts, how it is read, and how far. */
export const ContactImport = defineEntity({
  name: 'ContactImport',
  tableName: 'imports',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    /** That asked for it. */
    key_id: p.uuid().strictNullable(),
    /** `receiving`: its file is being kept, and nobody is told of it. */
    status: p.text().$type<ImportStatus | 'receiving'>().defaultRaw(`'receiving'`),
    filename: p.text(),
    /** Bytes. */
    size: p.bigint('number'),
    settings: p.json<ImportSettings>(),
    dry_run: p.boolean(),
    /** Its object is in the store, under the id. */
    has_file: p.boolean().defaultRaw(`true`),
    /** Bytes of the file that are done. */
    read_to: p.bigint('number'),
    rows: p.integer().defaultRaw(`0`),
    inserted: p.integer().defaultRaw(`0`),
    updated: p.integer().defaultRaw(`0`),
    unchanged: p.integer().defaultRaw(`0`),
    refused: p.integer().defaultRaw(`0`),
    reasons: p.json<RefusedByReason>().defaultRaw(`'{}'`),
    problems: p.json<readonly RowProblem[]>().defaultRaw(`'[]'`),
    /** Why it failed. */
    error: p.text().strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    ended_at: p.datetime(3).strictNullable(),
  }),
});
export type ContactImportRow = InferEntity<typeof ContactImport>;

/** A row of a file that was refused, as it is in the file. */
export const RefusedImportRow = defineEntity({
  name: 'RefusedImportRow',
  tableName: 'import_refusals',
  properties: (p) => ({
    import_id: p.uuid().primary(),
    /** From 1. */
    row: p.integer().primary(),
    reason: p.text().$type<RowRefusal>(),
    message: p.text(),
    /** The address, where the row has one. */
    email: p.text().strictNullable(),
    cells: p.array(),
    at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type StoredRefusedRow = InferEntity<typeof RefusedImportRow>;
