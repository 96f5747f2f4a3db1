import type { OutgoingMail } from './mail.ts';
import { mailOctets, unreadEnd } from './mail-octets.ts';
import { dataOf } from './smtp-lines.ts';
import type { Transmission } from './smtp-transaction.ts';
import type { SmtpWire } from './smtp-wire.ts';

/**
 * Writes a content with parts, each octet when the system has taken those before, and not its dot. undefined: all of it is written, or the connection
 * has broken; else which part could not be read.
 */
export async function writeBody(wire: SmtpWire, mail: OutgoingMail): Promise<Extract<Transmission, { end: 'unread' }> | undefined> {
  try {
    for await (const octets of mailOctets(mail, 'lines', dataOf)) if (!(await wire.writeOn(octets))) return undefined;
    return undefined;
  } catch (error) {
    return unreadEnd(error);
  }
}
