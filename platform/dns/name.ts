const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

/** How names are compared and kept: in lower case, without the final dot. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Whether it is printable ASCII, the only text that is asked for. */
export function isPlainText(name: string): boolean {
  return /^[\x21-\x7e]+$/.test(name);
}

/** Whether a name can have this many octets in each label, and in all (RFC 1035 2.3.4): one that cannot does not exist. */
export function fitsDns(name: string): boolean {
  return name.length <= LONGEST_NAME && name.split('.').every(({ length }) => length >= 1 && length <= LONGEST_LABEL);
}
