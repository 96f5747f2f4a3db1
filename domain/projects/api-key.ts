/** Keys of a project that work at once, beyond which the API makes none. */
export const MOST_KEYS = 500;
