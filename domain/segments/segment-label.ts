/** Characters of what names a segment, also in conditions. */
export const MAX_LABEL_LENGTH = 100;
