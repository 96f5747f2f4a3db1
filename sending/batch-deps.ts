import type { EntityManager } from '../db/orm.ts';
import type { FactsQuery, SendFacts } from '../db/queries/sends/send-facts.ts';
import type { SendGate } from '../db/queries/sends/send-gates.ts';
import type { OpenedSend, SendIntent } from '../db/queries/sends/send-intents.ts';
import type { Logger } from '../platform/logger.ts';
import type { DkimKey } from '../platform/mail/dkim-key.ts';
import type { OutgoingMail } from '../platform/mail/mail.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Ramps } from './allowances/ramps.ts';
import type { Composed, ComposeRequest } from './compose/compose-request.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';
import type { LeftIntentRules } from './left-intents.ts';
import type { Outcomes } from './outcomes.ts';
import type { LinkSecrets } from './plan.ts';
import type { Providers } from './providers/providers.ts';
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

/**
 * What mails of a project are signed with whose sender is on this domain; empty: they are not signed. The very same array as long as the keys are the same:
 * mails of a batch share it on their way to a thread. It is asked for each batch, so it keeps what it has read. The domain of a key is that of the sender, or
 * one above it.
 */
export type DkimKeysFor = (projectId: string, domain: string) => Promise<readonly DkimKey[]>;

/** What the links of mails of a project lead below whose sender is on this domain; undefined: the public URL of the installation. Asked for each batch, too. */
export type LinksUrlFor = (projectId: string, domain: string) => Promise<string | undefined>;

/** The host on the envelope of mails of a project whose sender is on this domain; undefined: that of the installation. Asked for each batch, too. */
export type ReturnHostFor = (projectId: string, domain: string) => Promise<string | undefined>;

/** What every batch of this process shares. */
export interface BatchDeps {
  readonly em: EntityManager;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly links: LinkSecrets;
  readonly published: FindTemplate;
  readonly makeContact: MakeContact;
  readonly openFile: OpenFile;
  /** undefined: mails are not signed here. They are for those providers alone that take signed messages. */
  readonly dkimKeysFor: DkimKeysFor | undefined;
  /** undefined: all links lead below the public URL. */
  readonly linksUrlFor: LinksUrlFor | undefined;
  /** undefined: mail comes back to the host of the installation, or to its sender. */
  readonly returnHostFor: ReturnHostFor | undefined;
  /** undefined: no domain has a ramp. */
  readonly ramps: Pick<Ramps, 'of' | 'forget'> | undefined;
  readonly leftIntents: LeftIntentRules;
  /** Of this process. */
  readonly journal: Pick<SubmissionJournal, 'id'>;
  readonly metrics: Pick<Metrics, 'sendEnded' | 'sendRefused'>;
  readonly providers: Pick<Providers, 'first' | 'wayOf'>;
  readonly log: Logger;
}
