import type { GateVerdict } from '../db/queries/sends/gate-verdict.ts';
import type { SendFacts } from '../db/queries/sends/send-facts.ts';
import type { SendGate } from '../db/queries/sends/send-gates.ts';
import type { AllowanceHolder } from '../domain/sends/allowance.ts';
import type { FailedOutcome, SendOutcome, SourceType } from '../domain/sends/send.ts';
import type { LogFields } from '../platform/logger.ts';
import type { MailRequest } from './request.ts';

/** What the provider said of a mail that it surely did not take and may take later. */
export interface ProviderAway {
  readonly message: string;
  /** The same for operators: without the recipient. */
  readonly shown: string;
  readonly retryAfterSeconds: number | undefined;
  /** What it was not given to the provider for; undefined: it was, or the provider is to blame. */
  readonly heldBy?: 'rate' | 'allowance' | 'receiver' | undefined;
  /** Whose allowance of the day is used. */
  readonly allowance?: AllowanceHolder | undefined;
}

/** What becomes of a mail that the provider may take later: given up with an outcome, or withdrawn without a trace. */
export type Later<Result> = { readonly outcome: FailedOutcome; readonly result: Result } | { readonly withdrawn: Result };

/** A send with its outcome. */
export interface SettledSend {
  readonly sendId: string;
  readonly outcome: SendOutcome;
  /** Optional paths that the mail shows and the data lacked. */
  readonly missing: readonly string[];
  /** Recorded by an earlier call. */
  readonly replayed: boolean;
}

/** Where mails come from: its gate, its policies, and results of its own, so that no caller meets a state that cannot happen to it. */
export interface Source<Request extends MailRequest, Result> {
  readonly type: SourceType;
  readonly gate: SendGate;
  /** Whether a mail that cannot be made for its project has a failed row; otherwise the refusal is the caller's. */
  readonly logsUnsendable: boolean;
  /** Whether a marketing mail to an unknown address makes a contact of it. */
  readonly makesContacts: boolean;
  /** By what its mails are followed in the log: the id of the request, or of the workflow. */
  traceOf(request: Request): LogFields;
  /** The levels of a mail's line when it has its outcome, and when the gate refuses it. */
  readonly lines: { readonly settled: LineLevel; readonly refused: LineLevel };
  settled(send: SettledSend): Result;
  refused(request: Request, sendId: string, verdict: GateVerdict): Result;
  later(request: Request, away: ProviderAway): Later<Result>;
  /**
   * What becomes of a mail that may have been submitted while its provider cannot tell yet: it goes again under its key. Absent: its outcome is
   * unknown, and whoever waits for it is told so.
   */
  untold?(request: Request, shown: string): Result;
  /** Of sends that are the same send again when they are asked for again; null where every request is a send of its own. */
  readonly repeated: RepeatedSend<Result> | null;
  /** Whether the gate lets the mail go later by itself, or when something has changed. */
  isForNow?(verdict: GateVerdict): boolean;
}

/** `debug` where the lines would be as many as a campaign's mails, or come again every minute while a run is held. */
export type LineLevel = 'info' | 'debug';

/** What a call comes to whose send was opened before and has no outcome to give again. */
export interface RepeatedSend<Result> {
  /** Another call is at it, or was when it died. */
  inProgress(retryAfterSeconds: number): Result;
  /** A caller's key was used for something else; a visit has no payload that could differ. */
  keyReused?(): Result;
  /** A scheduled mail has the caller's key that was asked for with the same payload. Absent: as one with another. */
  waits?(waiting: NonNullable<SendFacts['waiting']>): Result;
  /** Another mail got the key while this one was on its way; this one has been accepted, and goes under another. */
  keyTaken?(): Result;
}
