import type { SendFacts } from '../db/queries/sends/send-facts.ts';
import { Refusal } from '../domain/errors.ts';
import type { SendFailure } from '../domain/sends/send.ts';
import type { SendDetails } from '../domain/sends/send-details.ts';
import type { OutgoingMail } from '../platform/mail/mail.ts';
import type { Allowances } from './allowances/allowances.ts';
import type { SendPlan } from './plan.ts';
import type { MailRequest } from './request.ts';
import type { Way } from './submit.ts';

/** What a mail comes to, at once or when it has been submitted. A Refusal is a mail that cannot be made for its project and has no row. */
export type ItemResult<Result> = Promise<Result | Refusal> | Result | Refusal;

/** The result of a mail that goes on to the next stage. */
export const UNDECIDED = Symbol('undecided');

/** One mail on its way through a batch. */
export interface Item<Request extends MailRequest, Result> {
  readonly request: Request;
  readonly sendId: string;
  facts: SendFacts;
  plan?: SendPlan;
  failure?: { readonly reason: SendFailure; readonly message: string };
  subject: string;
  missing: readonly string[];
  /** As its row has them. */
  details: SendDetails | undefined;
  mail?: OutgoingMail;
  /** By which providers it goes; absent: it is not made yet. */
  way?: Way;
  /** Of its sender's domain, as of when it goes; undefined: as much as there is. */
  allowances?: (() => Promise<Allowances | undefined>) | undefined;
  /** Of a mail that somebody clicks who plays it: its first link that is counted. */
  firstLink?: string | undefined;
  /** The provider that said what became of it; undefined: none was asked. */
  submittedBy?: string | undefined;
  /** Before its intent is written, by this process: what waits for a mail in flight counts from there at the earliest. */
  begunAt: number;
  /** Of its intent; null: not known yet. */
  openedAt: Date | null;
  /** It may be known to the provider under its id. */
  mayBeSubmitted: boolean;
  /** Its row says so, while it is asked for again. */
  readonly isOutcomeUnknown: boolean;
  result: ItemResult<Result> | typeof UNDECIDED;
}

export function newItem<Request extends MailRequest, Result>(request: Request, sendId: string): Item<Request, Result> {
  return {
    request,
    sendId,
    facts: NO_FACTS,
    subject: '',
    missing: [],
    details: request.details,
    begunAt: performance.now(),
    openedAt: null,
    mayBeSubmitted: request.maybeSubmittedAt !== undefined,
    isOutcomeUnknown: false,
    result: UNDECIDED,
  };
}

const NO_FACTS: SendFacts = { contact: null, setting: undefined, known: undefined, waiting: undefined };

/** A result that fails before anybody waits for it must not end the process. */
export function handled<T>(result: Promise<T>): Promise<T> {
  result.catch(() => undefined);
  return result;
}

/** Those that go on. */
export function undecided<T extends { readonly result: unknown }>(items: readonly T[]): T[] {
  return items.filter(({ result }) => result === UNDECIDED);
}

/** Throws the Refusal of a mail that cannot be made for its project. */
export async function unlessRefused<Result>(result: ItemResult<Result>): Promise<Result> {
  const settled = await result;
  if (settled instanceof Refusal) throw settled;
  return settled;
}
