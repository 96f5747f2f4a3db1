import { resolve } from 'node:path';
import type { Client } from 'pg';
import { eventually } from '../../test/support/eventually.ts';
import { type CpuUsed, startMeter } from './cpu.ts';
import { LETTER_TEXT_LENGTH, type PeerLetter, type PeerSyntax, peerLetter } from './letter.ts';
import { installListmonk, type ListmonkServer } from './listmonk-server.ts';
import { type LoadResult, runLoad } from './load.ts';
import type { BenchSink } from './sink.ts';

/** How listmonk (https://github.com/knadh/listmonk) does the same on this machine. */
export interface Listmonk {
  /** Makes its letter for tx or campaigns as long as ours on the wire; answers with the bytes that a mail then has. */
  fitTx(bytesPerMail: number): Promise<number>;
  fitCampaign(bytesPerMail: number): Promise<number>;
  tx(run: { readonly concurrency: number; readonly seconds: number }): Promise<TxResult>;
  campaign(run: CampaignRun): Promise<CampaignResult>;
  stop(): Promise<void>;
}

/** It answers when a mail is in its queue, which is in memory: requests say what it accepts, mails what it sends. */
export interface TxResult extends LoadResult, CpuUsed {
  readonly mailsAtSink: number;
  /** From the first mail to the last, the rest of the queue included. */
  readonly mailsPerSecond: number;
  readonly queuedWhenLoadEnded: number;
  readonly bytesPerMail: number;
}

export interface CampaignRun {
  readonly recipients: number;
  /** To the SMTP server. */
  readonly connections: number;
  /** Its workers. */
  readonly concurrency: number;
}

export interface CampaignResult extends CampaignRun, CpuUsed {
  readonly mailsAtSink: number;
  readonly duplicates: number;
  readonly bytesPerMail: number;
  /** From the first mail to the last. */
  readonly perSecondWhileSending: number;
  /** From the call that starts it; it looks for what to start every 5 s. */
  readonly perSecondStartToLast: number;
  /** Of listmonk's own process. */
  readonly peakMemoryMb: number;
}

export interface ListmonkOptions {
  readonly dir: string;
  readonly sink: BenchSink;
  /** How many recipients it knows; tx addresses one after the other. */
  readonly subscribers: number;
  readonly progress: (line: string) => void;
}

export const NO_PEER = 'no peer was measured: set LISTMONK_DIR or give --listmonk, see bench/README.md';
const TX_SENDING = { connections: 25, concurrency: 25 };
const FROM = 'The Bench <hello@bench.example>';
/** The largest difference between the sizes of two letters, as a share. */
const FIT = 0.02;
const FIT_TRIES = 6;

const TX_SYNTAX: PeerSyntax = { name: '{{ .Tx.Data.name }}', link: (url) => url, open: '', unsubscribe: 'http://mail.bench.example/u' };
const CAMPAIGN_SYNTAX: PeerSyntax = {
  name: '{{ .Subscriber.FirstName }}',
  link: (url) => `{{ TrackLink "${url}" }}`,
  open: '{{ TrackView }}',
  unsubscribe: '{{ UnsubscribeURL }}',
};

/** Starts the peer that --listmonk or LISTMONK_DIR names; undefined without one. */
export async function startPeer(option: string | undefined, options: Omit<ListmonkOptions, 'dir'>): Promise<Listmonk | undefined> {
  const dir = option ?? process.env.LISTMONK_DIR;
  return dir ? startListmonk({ ...options, dir: resolve(dir) }) : undefined;
}

export interface PeerCampaign {
  readonly sink: BenchSink;
  readonly recipients: number;
  /** And workers. */
  readonly connections: number;
  /** Its letter is made as long. */
  readonly bytesPerMail: number;
  readonly progress: (line: string) => void;
}

/** One campaign of the peer that --listmonk or LISTMONK_DIR names, which is gone afterwards; undefined without one. */
export async function measurePeerCampaign(option: string | undefined, wanted: PeerCampaign): Promise<CampaignResult | undefined> {
  const { sink, recipients, connections, bytesPerMail, progress } = wanted;
  const peer = await startPeer(option, { sink, subscribers: recipients, progress });
  try {
    await peer?.fitCampaign(bytesPerMail);
    if (peer) progress(`listmonk: a campaign to ${recipients} recipients`);
    return await peer?.campaign({ recipients, connections, concurrency: connections });
  } finally {
    await peer?.stop();
  }
}

/** Subscribers and settings are written by SQL, everything else goes through listmonk's API. */
export async function startListmonk({ dir, sink, subscribers, progress }: ListmonkOptions): Promise<Listmonk> {
  progress('installing and starting listmonk');
  const server = await installListmonk(dir);
  try {
    await replaceSubscribers(server.database, subscribers);
    let isSetForTx = true;
    await server.start({ smtpUrl: sink.smtpUrl, ...TX_SENDING });
    const tx = await createTxTemplate(server);
    const campaigns = await createCampaigns(server, subscribers);

    const cpu = async () => ({ ...(await server.cpu()), sink: (await sink.stats()).sink_cpu_seconds });
    const bytesOfOne = async (send: () => Promise<unknown>): Promise<number> => {
      await sink.reset();
      await send();
      if ((await sink.received(1, 10)) !== 1) throw new Error(`listmonk sent nothing:\n${server.lastLines()}`);
      return (await sink.stats()).bytes;
    };
    return {
      fitTx: (bytes) =>
        fit(bytes, TX_SYNTAX, async (letter) => {
          await tx.save(letter);
          return bytesOfOne(() => server.call('POST', '/api/tx', tx.request(subscribers - 1)));
        }),
      fitCampaign: (bytes) =>
        fit(bytes, CAMPAIGN_SYNTAX, async (letter) => {
          campaigns.use(letter);
          return bytesOfOne(() => campaigns.test(subscribers - 1));
        }),
      async tx({ concurrency, seconds }) {
        if (!isSetForTx) await server.start({ smtpUrl: sink.smtpUrl, ...TX_SENDING });
        isSetForTx = true;
        await sink.reset();
        const measured = await startMeter(cpu);
        const result = await runLoad({
          url: `${server.url}/api/tx`,
          authorization: server.authorization,
          body: tx.request('{{n}}'),
          numbers: subscribers,
          concurrency,
          seconds,
        });
        const sentMeanwhile = await sink.messages();
        const accepted = result.answers[200] ?? 0;
        await sink.received(accepted);
        const used = await measured(sink.messages, result.clientCpuSeconds);
        const { messages, bytes, first_unix, last_unix } = await sink.stats();
        return {
          ...result,
          mailsAtSink: messages,
          mailsPerSecond: Math.round(messages / (last_unix - first_unix)),
          queuedWhenLoadEnded: Math.max(0, accepted - sentMeanwhile),
          bytesPerMail: Math.round(bytes / messages),
          ...used,
        };
      },
      async campaign({ recipients, connections, concurrency }) {
        // A new process, so that its memory is that of this campaign.
        isSetForTx = false;
        await server.start({ smtpUrl: sink.smtpUrl, connections, concurrency });
        const id = await campaigns.create(recipients);
        await sink.reset();
        const measured = await startMeter(cpu);
        const startedAt = Date.now() / 1000;
        await server.call('PUT', `/api/campaigns/${id}/status`, { status: 'running' });
        await sink.received(recipients);
        const used = await measured(sink.messages);
        const { messages, duplicates, bytes, first_unix, last_unix } = await sink.stats();
        await eventually(() => campaigns.isFinished(id), { timeoutMs: 30_000, everyMs: 200 });
        return {
          recipients,
          connections,
          concurrency,
          mailsAtSink: messages,
          duplicates,
          bytesPerMail: Math.round(bytes / messages),
          perSecondWhileSending: Math.round(messages / (last_unix - first_unix)),
          perSecondStartToLast: Math.round(messages / (last_unix - startedAt)),
          ...used,
          peakMemoryMb: await server.peakMemoryMb(),
        };
      },
      stop: server.stop,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

interface TxTemplate {
  save(letter: PeerLetter): Promise<void>;
  request(n: number | string): object;
}

async function createTxTemplate(server: ListmonkServer): Promise<TxTemplate> {
  const template = ({ subject, html }: PeerLetter) => ({ name: 'bench-tx', type: 'tx', subject, body: html });
  const first = template(peerLetter(LETTER_TEXT_LENGTH, TX_SYNTAX));
  const { id } = await server.call<{ id: number }>('POST', '/api/templates', first);
  return {
    save: (letter) => server.call('PUT', `/api/templates/${id}`, template(letter)),
    request: (n) => ({
      subscriber_email: addressOf(n),
      template_id: id,
      data: { name: `First${n}` },
      content_type: 'html',
      from_email: FROM,
    }),
  };
}

interface Campaigns {
  use(letter: PeerLetter): void;
  create(recipients: number): Promise<number>;
  /** Sends one mail. */
  test(n: number): Promise<void>;
  isFinished(id: number): Promise<boolean>;
}

async function createCampaigns(server: ListmonkServer, subscribers: number): Promise<Campaigns> {
  const frame = { name: 'bench', type: 'campaign', body: '{{ template "content" . }}' };
  const { id: templateId } = await server.call<{ id: number }>('POST', '/api/templates', frame);
  let letter = peerLetter(LETTER_TEXT_LENGTH, CAMPAIGN_SYNTAX);
  const fields = (listId: number) => ({
    name: `bench ${new Date().toISOString()}`,
    subject: letter.subject,
    lists: [listId],
    type: 'regular',
    content_type: 'html',
    body: letter.html,
    template_id: templateId,
    messenger: 'email',
    from_email: FROM,
  });
  const createList = async (recipients: number): Promise<number> => {
    if (recipients > subscribers) throw new Error(`there are ${subscribers} subscribers, not ${recipients}`);
    const list = { name: `the first ${recipients}`, type: 'private', optin: 'single' };
    const { id } = await server.call<{ id: number }>('POST', '/api/lists', list);
    await server.database.query(
      `insert into subscriber_lists (subscriber_id, list_id, status) select id, $1, 'confirmed' from subscribers order by id limit $2`,
      [id, recipients],
    );
    await server.database.query('analyze subscriber_lists');
    return id;
  };
  const create = async (recipients: number): Promise<{ id: number; listId: number }> => {
    const listId = await createList(recipients);
    return { id: (await server.call<{ id: number }>('POST', '/api/campaigns', fields(listId))).id, listId };
  };
  const tested = await create(1);
  return {
    use(next) {
      letter = next;
    },
    create: async (recipients) => (await create(recipients)).id,
    test: (n) => server.call('POST', `/api/campaigns/${tested.id}/test`, { ...fields(tested.listId), subscribers: [addressOf(n)] }),
    isFinished: async (id) => (await server.call<{ status: string }>('GET', `/api/campaigns/${id}`)).status === 'finished',
  };
}

async function replaceSubscribers(database: Client, count: number): Promise<void> {
  await database.query('delete from campaigns');
  await database.query('delete from subscribers');
  await database.query(
    `insert into subscribers (uuid, email, name, attribs, status)
     select gen_random_uuid(), 'person-' || n || '@to.example', 'First' || n || ' Last' || n, '{"city": "Bern"}', 'enabled'
     from generate_series(0, $1::integer - 1) n`,
    [count],
  );
  await database.query('analyze subscribers');
}

function addressOf(n: number | string): string {
  return `person-${n}@to.example`;
}

/** Tries lengths until a mail has the size that is wanted; answers with the size it has. */
async function fit(bytes: number, syntax: PeerSyntax, sizeOf: (letter: PeerLetter) => Promise<number>): Promise<number> {
  let textLength = LETTER_TEXT_LENGTH;
  for (let tries = 1; ; tries++) {
    const size = await sizeOf(peerLetter(textLength, syntax));
    if (Math.abs(size - bytes) <= bytes * FIT) return size;
    textLength += bytes - size;
    if (tries === FIT_TRIES || textLength < 1) throw new Error(`listmonk's letter has ${size} bytes and cannot have ${bytes}`);
  }
}
