import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import type { MikroORM } from '../db/orm.ts';
import { projectOfSend } from '../db/queries/inbound/provider-events.ts';
import { DSN } from '../domain/inbound/dsn.ts';
import { NotAnEvent, type ReportedEvent } from '../domain/inbound/event.ts';
import { type Arrival, MOST_REPORT_BYTES, readMailedReport } from '../domain/inbound/mailed-report.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { isAtReturnPath, provenSendIdIn, type ReturnPath } from '../domain/sends/return-path.ts';
import type { Logger } from '../platform/logger.ts';
import { takeReports } from '../usecases/inbound/take-reports.ts';
import { type SmtpAnswer, smtpAnswer } from './answers.ts';

/** Mail that comes back to the return path, from anybody: no login is asked for, since only who was given the address can know it. */
export interface ReturnedMail {
  /** Whether it is the return path of one of this installation's mails. */
  isReturnPath(address: string): boolean;
  /** Takes a mail to a return path. `sender`: on its envelope. Never throws. */
  take(message: Uint8Array, envelope: { readonly sender: string; readonly returnPath: string }): Promise<SmtpAnswer>;
}

export interface ReturnedMailDeps {
  readonly orm: MikroORM;
  readonly vault: Vault;
  readonly returnPath: ReturnPath;
  readonly log: Logger;
  readonly now: () => Date;
  /** So many soft bounces in a row suppress an address. */
  readonly softBounceLimit: number;
}

/** Whoever got a mail knows its address: one mail gets a few reports, and no more are worth a row. */
const MOST_REPORTS = 20;
const COUNTED_FOR_MS = 3_600_000;
const COUNTED_SENDS = 10_000;

const TAKEN = smtpAnswer(250, '2.0.0', 'taken');
const TOO_MANY = smtpAnswer(452, '4.5.3', 'too many reports about this mail; try again later');
const TRY_AGAIN = smtpAnswer(451, '4.3.0', 'the report cannot be kept just now; try again');

export function createReturnedMail({ orm, vault, returnPath, log, now, softBounceLimit }: ReturnedMailDeps): ReturnedMail {
  const counted = new LRUCache<string, { count: number }>({ max: COUNTED_SENDS, ttl: COUNTED_FOR_MS });
  const mayTake = (sendId: string): boolean => {
    const known = counted.get(sendId);
    if (!known) counted.set(sendId, { count: 1 });
    return !known || ++known.count <= MOST_REPORTS;
  };

  const sendIdOf = (address: string): string | undefined =>
    isAtReturnPath(returnPath, address) ? provenSendIdIn(vault, address) : undefined;

  const keep = async (message: Uint8Array, sender: string, sentTo: string): Promise<SmtpAnswer> => {
    const sendId = sendIdOf(sentTo);
    if (sendId === undefined) return TAKEN;
    if (!mayTake(sendId)) return TOO_MANY;
    // What stands in it of other mails does not count.
    const events = await reportsIn(message, {
      now: now(),
      sender,
      sentTo,
      sendIdOf: (address) => (address === sentTo ? sendId : undefined),
    });
    const em = orm.em.fork();
    const projectId = events.length > 0 ? await projectOfSend(em, sendId) : undefined;
    if (projectId === undefined) {
      log.info('smtp.return_ignored', { sendId, reports: events.length });
      return TAKEN;
    }
    const { received, matched } = await takeReports({ em, now, newId: uuidv7, softBounceLimit }, { projectId, provider: DSN, events });
    log.info('smtp.return_taken', { projectId, sendId, received, matched });
    return TAKEN;
  };

  return {
    isReturnPath: (address) => sendIdOf(address) !== undefined,
    async take(message, envelope) {
      try {
        return await keep(message, envelope.sender, envelope.returnPath);
      } catch (error) {
        log.warn('smtp.return_not_kept', { error });
        return TRY_AGAIN;
      }
    },
  };
}

/** As much of a message as is read of one that comes back; reads on to its end. undefined: it is longer than so many bytes. */
export async function beginOf(source: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    if (size < MOST_REPORT_BYTES) chunks.push(chunk);
    size += chunk.length;
    if (size > most) return undefined;
  }
  return Buffer.concat(chunks);
}

/** What is no mail says nothing; who sent it would not be helped by hearing so. */
async function reportsIn(message: Uint8Array, arrival: Arrival): Promise<ReportedEvent[]> {
  try {
    return await readMailedReport(message, arrival);
  } catch (error) {
    if (error instanceof NotAnEvent) return [];
    throw error;
  }
}
