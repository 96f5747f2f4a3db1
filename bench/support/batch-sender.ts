import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type MikroORM, openDatabase } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { ONE_TRY_MS } from '../../domain/sends/submission-times.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import { processConfig, type ReadyConfig, requireReady } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMailProviders } from '../../platform/mail/create-providers.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { createAuthoring } from '../../sending/compose/authoring.ts';
import { createComposer } from '../../sending/compose/composer.ts';
import { loadTemplateRegistry } from '../../sending/compose/template-registry.ts';
import { createInFlight } from '../../sending/in-flight.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { NO_JOURNAL } from '../../sending/journal/submission-journal.ts';
import { createProviders } from '../../sending/providers/providers.ts';
import { createReceivers } from '../../sending/receivers/receivers.ts';
import type { MailRequest } from '../../sending/request.ts';
import { NO_PACE } from '../../sending/send-pace.ts';
import { createSendPaces } from '../../sending/send-paces.ts';
import { createSending, type Sending } from '../../sending/sending.ts';
import { makeContact } from '../../usecases/contacts/make-contact.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { LETTER } from './letter.ts';

/** Batches under way at the same time: one is made ready while another is submitted. */
const SENDERS = 2;

/** A line on standard input: send the letter to so many contacts of the project, by address from this one on. */
export interface BatchesWanted {
  readonly projectId: string;
  readonly offset: number;
  readonly count: number;
  readonly batchSize: number;
}

/** The lines on standard output. */
export type BatchSenderLine =
  | { readonly event: 'ready' }
  | { readonly event: 'batch'; readonly sent: number; readonly failed: number }
  | { readonly event: 'done'; readonly sent: number; readonly failed: number; readonly seconds: number };

/** Run as a program with the settings of a worker: sends batches as it is asked to, until its input ends. */
if (import.meta.main) {
  const batches = await openBatches(requireReady(processConfig()));
  say({ event: 'ready' });
  for await (const line of createInterface({ input: process.stdin })) await batches.measureBatches(JSON.parse(line) as BatchesWanted);
  await batches.close();
}

interface Batches {
  measureBatches(wanted: BatchesWanted): Promise<void>;
  close(): Promise<void>;
}

/** Everything here belongs to this program; what is measured is what `measureBatches` calls. */
async function openBatches(config: ReadyConfig): Promise<Batches> {
  const { sendConcurrency } = config;
  const orm = await openDatabase({ url: config.databaseUrl, poolSize: 10 + sendConcurrency, applicationName: 'everpost-bench-batches' });
  const registry = await loadTemplateRegistry(config.templatesDir);
  const entry = registry.get(LETTER);
  if (!entry) throw new Error(`there is no template ${LETTER} in ${config.templatesDir}`);
  const vault = createVault(config.secretKey);
  const members = createMailProviders(config.emailProviders, { maxConnections: sendConcurrency, timeoutSeconds: ONE_TRY_MS / 1000 });
  const log = createLogger(config.logLevel, { process: 'bench' });
  const wiring = { log, metrics: createMetrics(), now: () => new Date(), newId: () => uuidv7() };
  const authoring = createAuthoring({ log });
  const { secretKey, publicUrl } = config;
  const composer = createComposer({ secretKey, publicUrl, authoring, log });
  const sending = createSending({
    journal: NO_JOURNAL,
    journals: NO_JOURNALS,
    makeContact,
    openFile: async () => undefined,
    reportBounce,
    applyReport: async () => undefined,
    pace: NO_PACE,
    inFlight: createInFlight({ connections: sendConcurrency, pace: NO_PACE }),
    orm,
    providers: createProviders(members, config.emailRoutes, { ...wiring, em: orm.em.fork(), paces: createSendPaces(config) }),
    receivers: createReceivers(config.emailReceivers),
    composer,
    vault,
    ...wiring,
  });
  return {
    async measureBatches({ projectId, offset, count, batchSize }) {
      const recipients = await readRecipients(orm, projectId, offset, count);
      const startedAt = performance.now();
      let [sent, failed, next] = [0, 0, 0];
      const sender = async (): Promise<void> => {
        while (next < recipients.length) {
          const batch = recipients.slice(next, next + batchSize);
          next += batchSize;
          const accepted = await sendBatch(
            sending,
            batch.map((recipient) => requestFor(projectId, entry, recipient)),
          );
          sent += accepted;
          failed += batch.length - accepted;
          say({ event: 'batch', sent: accepted, failed: batch.length - accepted });
        }
      };
      await Promise.all(Array.from({ length: SENDERS }, sender));
      say({ event: 'done', sent, failed, seconds: Number(((performance.now() - startedAt) / 1000).toFixed(2)) });
    },
    async close() {
      await sending.close();
      await authoring.close();
      await orm.close();
    },
  };
}

/** What is measured; answers with how many mails were accepted. */
async function sendBatch(sending: Sending, batch: readonly MailRequest[]): Promise<number> {
  const results = await sending.sendCalls(batch);
  return results.filter((result) => 'state' in result && result.state === 'sent').length;
}

function requestFor(projectId: string, entry: RegistryEntry, { id, first_name }: Recipient): MailRequest {
  return {
    projectId,
    template: entry.key,
    entry,
    recipient: { contactId: id },
    type: undefined,
    brand: undefined,
    subject: undefined,
    data: { name: first_name },
    event: undefined,
    from: undefined,
    sourceId: null,
    identity: { by: 'nothing' },
  };
}

interface Recipient {
  readonly id: string;
  readonly first_name: string;
}

function readRecipients(orm: MikroORM, projectId: string, offset: number, count: number): Promise<Recipient[]> {
  return rows(
    orm.em.fork(),
    sql<Recipient>`select id, first_name from contacts where project_id = ${projectId} order by id offset ${offset} limit ${count}`,
  );
}

function say(line: BatchSenderLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
