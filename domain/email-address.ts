const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

/** RFC 5322 dot-atom, and beyond ASCII (RFC 6531) anything but spaces, controls, invisible format characters and U+FFFD, the mark of what could not be read. */
const LOCAL_PART = /^[^\s\uFFFD\p{C}\p{Z}"(),:;<>@[\\\].]+(\.[^\s\uFFFD\p{C}\p{Z}"(),:;<>@[\\\].]+)*$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * The one form of an address that is stored and compared: trimmed, lower-cased, composed (NFC, RFC 6532 3.1).
 * undefined when it is not an address that a mail can be sent to: decisions.md 3.1.
 *
 * Refused although RFC 5322 or 5321 knows them: display names and angle brackets, comments, quoted local parts, address
 * literals (`a@[192.0.2.1]`), domains without a dot or with a numeric last label. Refused as malformed: spaces anywhere
 * inside, dots that lead, trail or follow each other, invisible characters.
 * Internationalised addresses are allowed and kept as written: the wire form of a domain (A-labels) is the mail's matter.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase().normalize('NFC');
  if (email.length > MAX_LENGTH) return undefined;
  const at = email.indexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL_PART.test(local)) return undefined;
  const labels = email.slice(at + 1).split('.');
  const last = labels.at(-1) ?? '';
  return labels.length > 1 && labels.every((label) => DOMAIN_LABEL.test(label)) && !/^\p{N}+$/u.test(last) ? email : undefined;
}

/** What follows the `@` of a normalized address. */
export function emailDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
