const ALLOWED = /^(?:https?:\/\/[^\s/?#]|mailto:[^\s])/i;
/** Browsers drop these inside an address, so they are gone before the check. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** The address when it is https, http or mailto, else an empty string. Not escaped for HTML. */
export function safeUrl(text: string): string {
  const url = text.replace(CONTROLS, '').trim();
  return ALLOWED.test(url) ? url.replace(/[\s"<>`]/g, encodeURIComponent) : '';
}

/** RFC 2392, with what a contentId of an attachment may have. */
const SHOWN_FILE = /^cid:[A-Za-z0-9%][A-Za-z0-9!#$%&'*+/=?^_{|}~.@-]{0,600}$/i;

/** The same for a picture, which may also be a file of the mail: `cid:…`. */
export function safeImageUrl(text: string): string {
  const url = text.replace(CONTROLS, '').trim();
  return SHOWN_FILE.test(url) ? url : safeUrl(text);
}

/** Whether the address of a picture is a file of the mail. */
export function isShownFile(text: string): boolean {
  return SHOWN_FILE.test(text.trim());
}

/** Whether a fixed address can be opened at all; stricter than what data may fill in later. */
export function isOpenableUrl(text: string): boolean {
  return safeUrl(text) === text.trim() && URL.canParse(text);
}

/** Whether an address whose rest is still to come can only become https, http or mailto. */
export function isSafeUrlStart(text: string): boolean {
  return /^\s*(?:https?:\/\/|mailto:)/i.test(text);
}

/** Entities, also those that what follows may complete. */
const ENTITY = /&#?\w*;?/g;

/** Whether the HTML of an address says before its data which scheme it has, if any, so that no data can give another. */
export function settlesScheme(html: string): boolean {
  return /[:/?#]/.test(html.replace(ENTITY, ''));
}
