import { v7 as uuidv7 } from 'uuid';
import type { MikroORM } from '../db/orm.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { ONE_TRY_MS } from '../domain/sends/submission-times.ts';
import type { ReadyConfig } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { createMailProviders } from '../platform/mail/create-providers.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { watchThreads } from '../platform/metrics/watch-threads.ts';
import { createRamps } from '../sending/allowances/ramps.ts';
import type { Authoring } from '../sending/compose/authoring.ts';
import { createComposer } from '../sending/compose/composer.ts';
import { createDkimKeys } from '../sending/dkim-keys.ts';
import { createLinksUrl, createReturnHost } from '../sending/domain-hosts.ts';
import { createInFlight, type InFlight } from '../sending/in-flight.ts';
import { type Journals, journalsIn } from '../sending/journal/read-journals.ts';
import { journalFolder, openJournal } from '../sending/journal/submission-journal.ts';
import { createProviders, type Providers } from '../sending/providers/providers.ts';
import type { SendPaces } from '../sending/send-paces.ts';
import { createSending, type Sending } from '../sending/sending.ts';
import type { OpenFile } from '../sending/with-files.ts';
import { makeContact } from '../usecases/contacts/make-contact.ts';
import { recordProviderEvent } from '../usecases/inbound/record-provider-event.ts';
import { reportBounce } from '../usecases/inbound/report-bounce.ts';

/** What a process is made of that sends. */
export interface SendPathDeps {
  readonly config: ReadyConfig;
  readonly orm: MikroORM;
  readonly vault: Vault;
  readonly authoring: Authoring;
  readonly openFile: OpenFile;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Of all that this process sends. */
  readonly paces: SendPaces;
  /** To the mail provider. */
  readonly connections: number;
}

export interface SendPath {
  readonly sending: Sending;
  /** Room for mails of batches and campaigns in this process. */
  readonly inFlight: InFlight;
  readonly providers: Providers;
  readonly journals: Journals;
}

/** The way of a mail out of this process, wired the same in the API and in a worker. */
export async function openSendPath({
  config,
  orm,
  vault,
  authoring,
  openFile,
  log,
  metrics,
  paces,
  connections,
}: SendPathDeps): Promise<SendPath> {
  const { secretKey, publicUrl, returnPath, awsCredentials } = config;
  const timeoutSeconds = ONE_TRY_MS / 1000;
  const [now, newId] = [() => new Date(), () => uuidv7()];
  const members = createMailProviders(config.emailProviders, { maxConnections: connections, timeoutSeconds, awsCredentials });
  const providers = createProviders(members, config.emailRoutes, { em: orm.em.fork(), paces, log, metrics, now, newId });
  const composer = createComposer({ secretKey, publicUrl, returnPath, authoring, log });
  watchThreads(metrics, 'mails', composer.threads);
  watchThreads(metrics, 'authoring', authoring.threads);
  const folder = journalFolder(config);
  const [journal, journals] = [await openJournal({ folder, id: uuidv7(), log }), journalsIn(folder)];
  const { softBounceLimit } = config;
  const applyReport = (id: string): Promise<boolean> => recordProviderEvent(orm.em.fork(), id, { softBounceLimit, now: now() });
  const { all: pace, receivers } = paces;
  const inFlight = createInFlight({ connections, pace });
  const dkimKeysFor = createDkimKeys({ em: orm.em, vault });
  const linksUrlFor = config.trackingHost === undefined ? undefined : createLinksUrl({ em: orm.em, publicUrl });
  const returnHostFor = returnPath && createReturnHost({ em: orm.em });
  const ramps = createRamps({ em: orm.em, now });
  const wiring = { orm, providers, receivers, composer, vault, openFile, log, metrics, journal, journals, pace, inFlight, now, newId };
  return {
    sending: createSending({ ...wiring, makeContact, dkimKeysFor, linksUrlFor, returnHostFor, ramps, reportBounce, applyReport }),
    inFlight,
    providers,
    journals,
  };
}
