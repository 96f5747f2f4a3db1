/** Bytes of an uploaded file: docs/contract/files.md 1. */
export const MAX_FILE_MB = 25;
export const MAX_FILE_BYTES = MAX_FILE_MB * 1024 * 1024;

/** Whoever stores bytes, or has stored them and is about to refer to them, has done so by then, or has died. */
export const STORING_MS = 3_600_000;
