import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll } from 'vitest';
import { SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import { type Journals, journalsIn } from '../../sending/journal/read-journals.ts';
import { openJournal } from '../../sending/journal/submission-journal.ts';
import { type ResendFault, type ResendServer, startResendServer } from '../support/resend-server.ts';
import { newSending, type TestSending, type TestSendingOptions } from '../support/sending.ts';

/** A provider that takes each key once, and processes that send through it; their journals are in one folder. Call it once for the file. */
export function keyKeepingProvider() {
  let server: ResendServer;
  let folder: string;
  const opened: TestSending[] = [];
  const theEnd = Promise.withResolvers<ProviderAnswer>();

  beforeAll(async () => {
    server = await startResendServer();
    folder = await mkdtemp(join(tmpdir(), 'everpost-same-key-'));
  });
  afterAll(async () => {
    theEnd.resolve({ outcome: 'unknown', message: 'the test is over' });
    for (const each of opened) await each.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const newJournal = () => openJournal({ folder, id: uuidv7(), log: createLogger('silent', {}) });
  const journals = (): Journals => journalsIn(folder);

  /** Killed when the provider had taken the mail: nobody hears of the answer. */
  const killed = (): Promise<ProviderAnswer> => theEnd.promise;

  /** A process that is over when the tests are. */
  async function opening(options: TestSendingOptions): Promise<TestSending> {
    const made = await newSending(options);
    opened.push(made);
    return made;
  }

  /** A process that sends through the provider; `beyond`: what becomes of it once the provider has answered. */
  async function sendingProcess(beyond?: () => Promise<ProviderAnswer>): Promise<TestSending> {
    const real = createMailProvider(new URL(server.providerUrl), { maxConnections: 4, timeoutSeconds: 2 });
    const provider: MailProvider = {
      ...real,
      async send(...given) {
        const answer = await real.send(...given);
        return beyond ? beyond() : answer;
      },
    };
    return opening({ provider, journal: await newJournal(), journals: journals() });
  }

  /** A process that is killed before it submits anything. */
  async function neverSubmitting(): Promise<TestSending> {
    const provider = { name: 'never', host: 'never', idempotent: true, format: 'resend', send: killed, close: async () => {} } as const;
    return opening({ journal: await newJournal(), provider });
  }

  /** Refuses every request for this address, until what it returns is called. */
  function awayFor(to: string, refused: NonNullable<ResendFault['refused']>): () => void {
    server.always((request) => (request.to === to ? { refused } : undefined));
    return () => server.always(() => undefined);
  }

  const keysOf = (to: string): ReadonlySet<string | undefined> =>
    new Set(server.requests.filter((request) => request.to === to).map(({ key }) => key));

  return { server: () => server, newJournal, journals, killed, opening, sendingProcess, neverSubmitting, awayFor, keysOf };
}

/** After which nobody is waited for. */
export const WHILE = sql`make_interval(secs => ${(SETTLED_AFTER_MS + 1_000) / 1000})`;
