import type { EntityManager } from '../db/orm.ts';
import type { FactsQuery, SendFacts } from '../db/queries/sends/send-facts.ts';
import type { SendGate } from '../db/queries/sends/send-gates.ts';
import type { OpenedSend, SendIntent } from '../db/queries/sends/send-intents.ts';
import type { Logger } from '../platform/logger.ts';
import type { OutgoingMail } from '../platform/mail/mail.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Composed, ComposeRequest } from './compose/compose-request.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';
import type { LeftIntentRules } from './left-intents.ts';
import type { Outcomes } from './outcomes.ts';
import type { LinkSecrets } from './plan.ts';
import type { MailRequest } from './request.ts';
import type { Submit } from './submit.ts';
import type { FindTemplate } from './template-versions.ts';
import type { OpenFile } from './with-files.ts';

/** How mails are made; each stage takes a whole batch, or joins what is asked at the same time. What fails, fails for single mails. */
export interface PreparationStages {
  facts(batch: readonly FactsQuery[]): Promise<readonly PromiseSettledResult<SendFacts>[]>;
  compose(batch: readonly ComposeRequest[]): Promise<readonly Composed[]>;
  /** Gives the memory of finished mails back. */
  recycle(batch: readonly OutgoingMail[]): void;
}

/** Where the intents of a batch stand, each in a row of its own or all in that of a campaign's batch, and how its mails go. */
export interface IntentStages {
  open(gate: SendGate, batch: readonly SendIntent[]): Promise<readonly PromiseSettledResult<OpenedSend>[]>;
  readonly submit: Submit;
  readonly outcomes: Outcomes;
}

/** What a batch asks of others, in this order. */
export interface Stages extends PreparationStages, IntentStages {}

/** A recipient who is no contact of the project yet. */
export interface NewRecipient {
  readonly projectId: string;
  readonly email: string;
  readonly brand: string;
  readonly caller: MailRequest['caller'];
  /** The mail does not leave. */
  readonly isSandboxed: boolean;
  readonly now: Date;
  readonly newId: () => string;
}

/** Makes a recipient a contact, in a transaction of its own; one who has become one meanwhile stays as it is. */
export type MakeContact = (em: EntityManager, recipient: NewRecipient) => Promise<void>;

/** What every batch of this process shares. */
export interface BatchDeps {
  readonly em: EntityManager;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly links: LinkSecrets;
  readonly published: FindTemplate;
  readonly makeContact: MakeContact;
  readonly openFile: OpenFile;
  readonly leftIntents: LeftIntentRules;
  /** Of this process. */
  readonly journal: Pick<SubmissionJournal, 'id'>;
  readonly metrics: Pick<Metrics, 'sendEnded' | 'sendRefused'>;
  /** Its name. */
  readonly provider: string;
  readonly log: Logger;
}
