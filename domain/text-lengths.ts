/** Characters that texts of several areas may have: docs/contract/limits.md 9. */

/** Of what people, campaigns, sequences and templates are called. */
export const MAX_NAME_LENGTH = 200;

/** RFC 5322 2.1.1: what fits in one line of a header. */
export const MAX_SUBJECT_LENGTH = 998;

export const MAX_URL_LENGTH = 2048;
