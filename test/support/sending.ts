import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll } from 'vitest';
import { type EntityManager, type MikroORM, openDatabase, type SessionLimits } from '../../db/orm.ts';
import { preparedPoolOf } from '../../db/prepared-statements.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import type { ProviderRoute } from '../../domain/sends/provider-order.ts';
import type { ReceiverRule } from '../../domain/sends/receiver-rules.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import { createLogger } from '../../platform/logger.ts';
import type { OutgoingMail } from '../../platform/mail/mail.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import { createMetrics, type Metrics } from '../../platform/metrics/metrics.ts';
import type { DkimKeysFor, LinksUrlFor } from '../../sending/batch-deps.ts';
import { type Authoring, createAuthoring } from '../../sending/compose/authoring.ts';
import { compileRegistry } from '../../sending/compose/compile-registry.ts';
import { type Composer, createComposer } from '../../sending/compose/composer.ts';
import type { TemplateRegistry } from '../../sending/compose/template-registry.ts';
import { createInFlight } from '../../sending/in-flight.ts';
import { type Journals, NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { NO_JOURNAL, type SubmissionJournal } from '../../sending/journal/submission-journal.ts';
import { createProviders, type ProviderMember } from '../../sending/providers/providers.ts';
import { createReceivers } from '../../sending/receivers/receivers.ts';
import type { MailRequest } from '../../sending/request.ts';
import { NO_PACE, type SendPace } from '../../sending/send-pace.ts';
import { createSending, type Sending } from '../../sending/sending.ts';
import type { OpenFile } from '../../sending/with-files.ts';
import { makeContact } from '../../usecases/contacts/make-contact.ts';
import { recordProviderEvent } from '../../usecases/inbound/record-provider-event.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { testEnvironment } from './environment.ts';
import type { TestProject } from './project.ts';

export interface TestSending {
  readonly sending: Sending;
  readonly authoring: Authoring;
  readonly orm: MikroORM;
  readonly metrics: Metrics;
  /** Every mail that reached the provider, in order. */
  readonly submitted: readonly OutgoingMail[];
  /** How many prepared statements went to the database since the last call. */
  statements(): number;
  close(): Promise<void>;
}

export interface TestSendingOptions {
  /** What the provider answers; accepted when omitted. An answer that never comes breaks off at the close. */
  readonly answer?: (mail: OutgoingMail) => Promise<ProviderAnswer> | ProviderAnswer;
  readonly databaseUrl?: string;
  readonly idempotent?: boolean;
  readonly now?: () => Date;
  readonly limits?: SessionLimits;
  readonly journal?: SubmissionJournal;
  readonly journals?: Journals;
  readonly pace?: SendPace;
  /** Of a prepared statement that PostgreSQL has carried out: whether the connection breaks before its answer comes. */
  readonly losesAnswer?: (text: string) => boolean;
  /** Instead of one that answers as `answer` says. */
  readonly provider?: MailProvider;
  /** Where the bytes of attachments are; nowhere when omitted. */
  readonly openFile?: OpenFile;
  /** Nothing is signed when omitted. */
  readonly dkimKeysFor?: DkimKeysFor;
  /** Several providers, in the place of the one. */
  readonly members?: readonly ProviderMember[];
  readonly routes?: readonly ProviderRoute[];
  /** Where states and days of providers are kept, which concern all projects; the same database when omitted. */
  readonly providersEm?: EntityManager;
  readonly receivers?: readonly ReceiverRule[];
  /** All links lead to the public URL when omitted. */
  readonly linksUrlFor?: LinksUrlFor;
}

/** The send path in this process on the shared database, with a provider that answers as the test says. */
export async function newSending({
  answer,
  databaseUrl,
  idempotent = false,
  now,
  limits,
  journal,
  journals,
  pace,
  losesAnswer,
  provider: given,
  members,
  routes = [],
  providersEm,
  receivers,
  openFile,
  dkimKeysFor,
  linksUrlFor,
}: TestSendingOptions = {}): Promise<TestSending> {
  const { databaseUrl: shared, secretKey } = testEnvironment();
  const orm = await openDatabase({
    url: databaseUrl ?? shared,
    poolSize: 12,
    patience: 30_000,
    applicationName: 'everpost-test-sending',
    ...(limits ? { limits } : {}),
  });
  const submitted: OutgoingMail[] = [];
  let breakOff = (): void => {};
  const closed = new Promise<ProviderAnswer>((resolve) => {
    breakOff = () => resolve({ outcome: 'unknown', message: 'the test is over' });
  });
  const provider: MailProvider = given ?? {
    name: 'test',
    host: 'mail.example',
    idempotent,
    format: 'message',
    async send(mail, _key, _isStopped, submitting) {
      if (submitting?.() === false) return { outcome: 'later', message: 'not written down' };
      // Its memory is given to another mail once its batch is done.
      submitted.push({ ...mail, content: Uint8Array.from(mail.content) });
      return (await Promise.race([answer?.(mail), closed])) ?? { outcome: 'accepted', providerId: mail.messageId };
    },
    close: async () => {},
  };
  const key = Buffer.from(secretKey, 'base64');
  const vault = createVault(key);
  const log = createLogger('silent', {});
  const authoring = createAuthoring({ log });
  const metrics = createMetrics();
  const sending = createSending({
    journal: journal ?? NO_JOURNAL,
    journals: journals ?? NO_JOURNALS,
    makeContact,
    openFile: openFile ?? (async () => undefined),
    ...(dkimKeysFor && { dkimKeysFor }),
    linksUrlFor,
    reportBounce,
    applyReport: (id) => recordProviderEvent(orm.em.fork(), id, { softBounceLimit: 1, now: new Date() }),
    pace: pace ?? NO_PACE,
    inFlight: createInFlight({ connections: 50, pace: pace ?? NO_PACE }),
    orm,
    providers: createProviders(members ?? [{ name: provider.name, mail: provider, weight: 1 }], routes, {
      ...{ em: providersEm ?? orm.em.fork(), log, metrics },
      paces: { of: () => NO_PACE },
      now: now ?? (() => new Date()),
      newId: () => uuidv7(),
    }),
    receivers: createReceivers(receivers ?? []),
    composer: sharedComposer(),
    vault,
    log,
    metrics,
    now: now ?? (() => new Date()),
    newId: () => uuidv7(),
  });
  const pool = preparedPoolOf((await orm.em.getConnection().getNativeClient()) as Pool) as unknown as {
    query(...args: unknown[]): unknown;
  };
  const query = pool.query.bind(pool);
  let count = 0;
  pool.query = async (...args) => {
    count++;
    const answer = await query(...args);
    if (losesAnswer?.((args[0] as { readonly text: string }).text)) throw new Error('Connection terminated unexpectedly');
    return answer;
  };
  return {
    sending,
    authoring,
    orm,
    metrics,
    submitted,
    statements() {
      const before = count;
      count = 0;
      return before;
    },
    async close() {
      breakOff();
      await sending.close();
      await authoring.close();
      await orm.close();
    },
  };
}

/** The same for the tests of a file, after which they are closed in the order in which they were opened. Call it once for the file. */
export function sendingsOfFile(): typeof newSending {
  const opened: TestSending[] = [];
  afterAll(async () => {
    for (const each of opened) await each.close();
  });
  return async (options) => {
    const made = await newSending(options);
    opened.push(made);
    return made;
  };
}

let composer: Composer | undefined;

/** One for all senders of this process, whose thread takes a fifth of a second of a core to start. */
function sharedComposer(): Composer {
  const { secretKey, apiUrl } = testEnvironment();
  const log = createLogger('silent', {});
  composer ??= createComposer({
    secretKey: Buffer.from(secretKey, 'base64'),
    publicUrl: apiUrl,
    authoring: createAuthoring({ log }),
    log,
    threads: 1,
  });
  return { ...composer, close: async () => {} };
}

let registry: TemplateRegistry | undefined;

/** The templates that ship. */
export async function shippedTemplates(): Promise<TemplateRegistry> {
  registry ??= await compileRegistry({ templatesDir: undefined }, createLogger('silent', {}));
  return registry;
}

/** A call for one mail of a shipped template. */
export async function mailRequest(project: TestProject, to: string, given: Partial<MailRequest> = {}): Promise<MailRequest> {
  const registry = await shippedTemplates();
  const template = given.template ?? 'receipt';
  return {
    projectId: project.id,
    template,
    entry: registry.get(template) as RegistryEntry,
    recipient: { email: to },
    type: undefined,
    brand: undefined,
    subject: undefined,
    data: { name: 'Ada' },
    event: undefined,
    from: undefined,
    sourceId: null,
    identity: { by: 'nothing' },
    ...given,
  };
}

/** One whose key is its address. */
export async function keyed(project: TestProject, to: string, given: Partial<MailRequest> = {}): Promise<MailRequest> {
  return mailRequest(project, to, { identity: { by: 'key', key: to, requestHash: Buffer.from('same') }, ...given });
}
