import { asciiDomain } from './domain-name.ts';

/** Octets of the wire form (RFC 5321 4.5.3.1 with the erratum 1690), where a character beyond ASCII is two to four of them. */
const MAX_OCTETS = 254;
const MAX_LOCAL_OCTETS = 64;
/** Longer texts are no address in any spelling; they are refused before their characters are looked at. */
const MAX_TEXT_LENGTH = 2000;

/** RFC 5322 dot-atom, and beyond ASCII (RFC 6531) anything but spaces, controls, what shows nothing, and U+FFFD, the mark of what could not be read. */
const ATOM = String.raw`(?:(?!\p{Default_Ignorable_Code_Point})[^\s\uFFFD\u2800\p{C}\p{Z}"(),:;<>@[\\\].])+`;
const LOCAL_PART = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, 'u');

/**
 * The one form of an address that is stored and compared: trimmed, the local part lower-cased and composed (NFC, RFC 6532 3.1), the domain
 * as `asciiDomain` writes it. undefined when it is not an address that a mail can be sent to: docs/contract/contacts.md 4, 5.
 *
 * Refused although RFC 5322 or 5321 knows them: display names and angle brackets, comments, quoted local parts, address
 * literals (`a@[192.0.2.1]`), domains without a dot. Refused as malformed: spaces anywhere inside, dots that lead, trail or follow each
 * other, invisible characters.
 */
export function normalizeEmail(text: string): string | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const address = text.trim();
  const at = address.indexOf('@');
  if (at < 1) return undefined;
  const local = address.slice(0, at).toLowerCase().normalize('NFC');
  const localOctets = Buffer.byteLength(local);
  if (localOctets > MAX_LOCAL_OCTETS || !LOCAL_PART.test(local)) return undefined;
  const domain = asciiDomain(address.slice(at + 1));
  return domain !== undefined && localOctets + 1 + domain.length <= MAX_OCTETS ? `${local}@${domain}` : undefined;
}

/** What follows the `@` of a normalized address. */
export function emailDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
