import { toASCII, toUnicode } from 'tr46';

/** The longest name in octets of the wire form, without the dot of the root (RFC 1035 2.3.4). */
const MAX_LENGTH = 253;
/** Longer texts become no name either; they are refused before their characters are looked at. */
const MAX_TEXT_LENGTH = 4 * MAX_LENGTH;

const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A name that ends so is read as an IPv4 address by whoever follows the URL Standard (`127.0x1`). */
const IPV4_END = /\.(?:[0-9]+|0x[0-9a-f]*)$/;
/** UTS 46 would drop them silently. The joiners are left to its context rules. */
const INVISIBLE = /(?!\u200C|\u200D)\p{Default_Ignorable_Code_Point}/u;
/** IDNA 2008 (RFC 5892) has letters, marks, digits and these; UTS 46 lets symbols through, U+2800, which shows nothing, among them. */
const LABEL = /^(?!-)(?:[\p{L}\p{Mn}\p{Mc}\p{Nd}\u00B7\u0375\u05F3\u05F4\u06FD\u06FE\u0F0B\u3007\u30FB-]|\u200C|\u200D)+(?<!-)$/u;

const UTS46 = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true, transitionalProcessing: false } as const;

/**
 * The one form of a domain that is stored, compared and sent: lower-case ASCII by UTS 46 (non-transitional), so that all spellings of a
 * name are one text. undefined when it is not the name of a host by IDNA 2008 with at least one dot: illegal A-labels, labels of mixed
 * direction, invisible characters, IPv4 addresses in whatever disguise, lengths beyond RFC 1035 are refused.
 */
export function asciiDomain(text: string): string | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const name = needsMapping(text) ? mapped(text) : text.toLowerCase();
  return name !== undefined && name.length <= MAX_LENGTH && HOST_NAME.test(name) && !IPV4_END.test(name) ? name : undefined;
}

/** The domain and those above it, from itself upwards; names of one label are none. */
export function upwardsFrom(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** A-labels are decoded, to be checked like the letters that they stand for. */
function needsMapping(text: string): boolean {
  return !/^[ -~]*$/.test(text) || /xn--/i.test(text);
}

function mapped(text: string): string | undefined {
  if (INVISIBLE.test(text)) return undefined;
  const { domain, error } = toUnicode(text, UTS46);
  if (error || !domain.split('.').every((label) => LABEL.test(label))) return undefined;
  return toASCII(domain, UTS46) ?? undefined;
}
