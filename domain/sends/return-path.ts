import type { Vault } from '../projects/crypto.ts';

/** Where mail servers send what they have to say of a mail later: `<user>+<mark>@<host>`, with a mark for each mail. Both in lower case. */
export interface ReturnPath {
  readonly user: string;
  readonly host: string;
}

const PURPOSE = 'return path';
const ID_DIGITS = 32;
const MARK = /\+([0-9a-f]{32})([0-9a-f]{12})@([^@\s<>]+)$/i;
/** Of a local part (RFC 5321 4.5.3.1.1), less the mark and its `+`. */
export const MAX_USER_LENGTH = 64 - 1 - ID_DIGITS - 12;

/** The sender on the envelope of a mail. Servers may change the case of letters, so none of them counts. */
export function returnPathOf(vault: Pick<Vault, 'mark'>, { user, host }: ReturnPath, sendId: string): string {
  return `${user}+${sendId.replaceAll('-', '')}${vault.mark(PURPOSE, sendId)}@${host}`;
}

/** The send that such an address is about, as it says: anybody may have written it. undefined: it is no such address. */
export function sendIdIn(address: string): string | undefined {
  const [, digits] = MARK.exec(address) ?? [];
  return digits?.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The same for an address that this installation has given out; undefined for any other. Whoever got the mail knows it too. */
export function provenSendIdIn(vault: Pick<Vault, 'isMark'>, { user }: Pick<ReturnPath, 'user'>, address: string): string | undefined {
  if (!address.toLowerCase().startsWith(`${user}+`)) return undefined;
  const sendId = sendIdIn(address);
  const mark = MARK.exec(address)?.[2]?.toLowerCase();
  return sendId !== undefined && mark !== undefined && vault.isMark(PURPOSE, sendId, mark) ? sendId : undefined;
}
