import { fill } from './dkim.ts';
import type { StreamSigner } from './dkim-streams.ts';
import type { OutgoingMail } from './mail.ts';
import { mailOctets, unreadEnd } from './mail-octets.ts';
import { dataOf } from './smtp-lines.ts';
import type { Transmission } from './smtp-transaction.ts';
import type { SmtpWire } from './smtp-wire.ts';

/**
 * Writes a content with parts, each octet when the system has taken those before, and not its dot. undefined: all of it is written, or the connection
 * has broken; else which part could not be read. One that is signed is read once before: its signatures stand in front of what they sign.
 */
export async function writeBody(
  wire: SmtpWire,
  mail: OutgoingMail,
  signer: Pick<StreamSigner, 'fillings'>,
): Promise<Extract<Transmission, { end: 'unread' }> | undefined> {
  try {
    const fillings = await signer.fillings(mail, () => wire.reason === undefined);
    // A content may be written over as soon as nobody waits for it.
    if (wire.reason !== undefined) return undefined;
    fill(mail.content, fillings);
    for await (const octets of mailOctets(mail, 'lines', dataOf)) if (!(await wire.writeOn(octets))) return undefined;
    return undefined;
  } catch (error) {
    return unreadEnd(error);
  }
}
