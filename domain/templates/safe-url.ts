const ALLOWED = /^(?:https?:\/\/[^\s/?#]|mailto:[^\s])/i;
/** Browsers drop these inside an address, so they are gone before the check. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** The address when it is https, http or mailto, else an empty string. Not escaped for HTML. */
export function safeUrl(text: string): string {
  const url = text.replace(CONTROLS, '').trim();
  return ALLOWED.test(url) ? url.replace(/[\s"<>`]/g, encodeURIComponent) : '';
}

/** Whether a fixed address can be opened at all; stricter than what data may fill in later. */
export function isOpenableUrl(text: string): boolean {
  return safeUrl(text) === text.trim() && URL.canParse(text);
}

/** Whether an address whose rest is still to come can only become https, http or mailto. */
export function isSafeUrlStart(text: string): boolean {
  return /^\s*(?:https?:\/\/|mailto:)/i.test(text);
}
