import type { Vault } from '../projects/crypto.ts';

/** Where mail servers send what they have to say of a mail later: `<user>+<mark>@<host>`, with a mark for each mail. Both in lower case. */
export interface ReturnPath {
  readonly user: string;
  readonly host: string;
}

const PURPOSE = 'return path';
const ID_DIGITS = 32;
const MARKED = /^([^\s<>@+]+)\+([0-9a-f]{32})([0-9a-f]{12})@([^@\s<>]+)$/;
/** Of a local part (RFC 5321 4.5.3.1.1), less the mark and its `+`. */
export const MAX_USER_LENGTH = 64 - 1 - ID_DIGITS - 12;

/** The sender on the envelope of a mail. Servers may change the case of letters, so none of them counts. */
export function returnPathOf(vault: Pick<Vault, 'mark'>, { user, host }: ReturnPath, sendId: string): string {
  return `${user}+${sendId.replaceAll('-', '')}${vault.mark(PURPOSE, sendId)}@${host}`;
}

/** The send whose return path the address is; undefined: it is none that this installation has given out. Whoever got the mail knows it too. */
export function provenSendIdIn(vault: Pick<Vault, 'isMark'>, address: string): string | undefined {
  const [, , digits, mark] = MARKED.exec(address.toLowerCase()) ?? [];
  const sendId = digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return sendId !== undefined && mark !== undefined && vault.isMark(PURPOSE, sendId, mark) ? sendId : undefined;
}

/** Whether mail to the address is due here: by the return path, or by a host of that name below a sending domain. */
export function isAtReturnPath({ user, host }: ReturnPath, address: string): boolean {
  const [, own, , , at] = MARKED.exec(address.toLowerCase()) ?? [];
  return own === user && at !== undefined && (at === host || at.startsWith('bounces.'));
}
