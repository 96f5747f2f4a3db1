import { defineEntity, type InferEntity } from '@mikro-orm/core';

/** Bytes in the object store, once a project: under its id and theirs. */
export const FileContent = defineEntity({
  name: 'FileContent',
  tableName: 'file_contents',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    size: p.bigint('number'),
    /** 64 hex digits. */
    sha256: p.text(),
    /** For mails; uploaded files keep it longer. Of one that is not stored yet: until whoever stores it has done so, or has died. */
    kept_until: p.datetime(3),
    /** When the sweep looks at it. */
    look_at: p.datetime(3),
    stored_at: p.datetime(3).strictNullable(),
    /** Its object is being removed, and nothing refers to it any more. */
    removed_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type FileContentRow = InferEntity<typeof FileContent>;

/** What POST /files took. */
export const StoredFile = defineEntity({
  name: 'StoredFile',
  tableName: 'files',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    content_id: p.uuid(),
    filename: p.text(),
    content_type: p.text(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    expires_at: p.datetime(3),
  }),
});
export type StoredFileRow = InferEntity<typeof StoredFile>;

/** What POST /images took. */
export const StoredImage = defineEntity({
  name: 'StoredImage',
  tableName: 'images',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    content_id: p.uuid(),
    filename: p.text(),
    content_type: p.text(),
    /** Pixels. */
    width: p.integer(),
    height: p.integer(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type StoredImageRow = InferEntity<typeof StoredImage>;
