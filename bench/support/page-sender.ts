import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type MikroORM, openDatabase } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { createVault } from '../../domain/crypto.ts';
import { processConfig, type ReadyConfig, requireReady } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMailer, type Mailer, type SendRequest } from '../../platform/mail/deliver.ts';
import { createMailProvider } from '../../platform/mail/provider.ts';
import { loadTemplateRegistry } from '../../platform/template-registry.ts';
import { LETTER } from './letter.ts';

/** A line on standard input: send the letter to so many contacts of the project, by address from this one on. */
export interface PagesWanted {
  readonly projectId: string;
  readonly offset: number;
  readonly count: number;
  readonly pageSize: number;
}

/** The lines on standard output. */
export type PageSenderLine =
  | { readonly event: 'ready' }
  | { readonly event: 'page'; readonly sent: number; readonly failed: number }
  | { readonly event: 'done'; readonly sent: number; readonly failed: number; readonly seconds: number };

/** Run as a program with the settings of a worker: sends pages as it is asked to, until its input ends. */
if (import.meta.main) {
  const pages = await openPages(requireReady(processConfig()));
  say({ event: 'ready' });
  for await (const line of createInterface({ input: process.stdin })) await pages.measurePages(JSON.parse(line) as PagesWanted);
  await pages.close();
}

interface Pages {
  measurePages(wanted: PagesWanted): Promise<void>;
  close(): Promise<void>;
}

/** Everything here belongs to this program; what is measured is what `measurePages` calls. */
async function openPages(config: ReadyConfig): Promise<Pages> {
  const { sendConcurrency } = config;
  const orm = await openDatabase({ url: config.databaseUrl, poolSize: 10 + sendConcurrency, applicationName: 'everpost-bench-pages' });
  const registry = await loadTemplateRegistry(config.templatesDir);
  const entry = registry.get(LETTER);
  if (!entry) throw new Error(`there is no template ${LETTER} in ${config.templatesDir}`);
  const mailer = createMailer({
    provider: createMailProvider(config.emailProviderUrl, { maxConnections: sendConcurrency }),
    vault: createVault(config.secretKey),
    log: createLogger(config.logLevel, { process: 'bench' }),
    publicUrl: config.publicUrl,
    now: () => new Date(),
    newId: () => uuidv7(),
  });
  return {
    async measurePages({ projectId, offset, count, pageSize }) {
      const recipients = await readRecipients(orm, projectId, offset, count);
      const startedAt = performance.now();
      let [sent, failed] = [0, 0];
      for (let from = 0; from < recipients.length; from += pageSize) {
        const page = recipients.slice(from, from + pageSize).map(
          ({ id, first_name }): SendRequest => ({
            projectId,
            entry,
            recipient: { contactId: id },
            type: undefined,
            brand: undefined,
            subject: undefined,
            data: { name: first_name },
            event: undefined,
            from: undefined,
            sourceType: 'campaign',
            sourceId: null,
            identity: { by: 'nothing' },
          }),
        );
        const accepted = await sendPage(mailer, orm, page, sendConcurrency);
        sent += accepted;
        failed += page.length - accepted;
        say({ event: 'page', sent: accepted, failed: page.length - accepted });
      }
      say({ event: 'done', sent, failed, seconds: Number(((performance.now() - startedAt) / 1000).toFixed(2)) });
    },
    async close() {
      await mailer.close();
      await orm.close();
    },
  };
}

/** Hands over a page, as many mails at once as there are connections; answers with how many were accepted. */
async function sendPage(mailer: Mailer, orm: MikroORM, page: readonly SendRequest[], concurrency: number): Promise<number> {
  const left = page.values();
  let accepted = 0;
  const lane = async (): Promise<void> => {
    for (const request of left) if ((await mailer.send(orm.em.fork(), request)).state === 'sent') accepted++;
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return accepted;
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

function say(line: PageSenderLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
