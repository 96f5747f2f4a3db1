const HOUR_MS = 3_600_000;

/** A session of the console that nobody uses ends after so long: docs/contract/identity.md 20. */
export const SESSION_IDLE_MS = 2 * HOUR_MS;

/** The longest that a session lasts, used or not. */
export const SESSION_MS = 12 * HOUR_MS;

/** Sessions of one key at once: one more ends the one that was used least lately. */
export const MOST_SESSIONS = 50;

const FORM = /^[0-9A-Za-z]{20,64}$/;

/** Whether a text may be the secret of a session at all: nothing else is looked for. */
export function isSessionSecret(text: string): boolean {
  return FORM.test(text);
}
