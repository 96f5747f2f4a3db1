import type { Vault } from '../projects/crypto.ts';
import { provenSendIdIn } from '../sends/return-path.ts';
import type { ReportedEvent } from './event.ts';
import { readMailedReport } from './mailed-report.ts';
import { checkBasic, type InboundSecrets, type RawRequest, type ReadDeps } from './proof.ts';

/** As which the events of mails that came back are kept. */
export const DSN = 'dsn';

/** A mail that came back, as a mail server or a rule of a mailbox hands it over. Throws BadSignature and NotAnEvent. */
export async function readHandedOver(
  request: RawRequest,
  { inboundSecret }: Pick<InboundSecrets, 'inboundSecret'>,
  { now, vault }: Pick<ReadDeps, 'now'> & { readonly vault: Pick<Vault, 'isMark'> },
): Promise<ReportedEvent[]> {
  checkBasic(request, { password: inboundSecret });
  return readMailedReport(request.body, { now: now(), sendIdOf: (address) => provenSendIdIn(vault, address) });
}
