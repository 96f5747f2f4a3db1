import { Client } from 'pg';
import { createDriver } from './driver.ts';
import { createReader } from './gather.ts';
import { runLoad } from './load.ts';
import type { ChaosMailServer } from './mail-server.ts';
import type { Observed, OutcomeUnknownSeen } from './observed.ts';
import type { Random } from './random.ts';
import { startChaosReceiver } from './receiver.ts';
import type { Installation } from './stack.ts';
import { makeWorld } from './world.ts';

/** An installation with its mail provider, its receiver of webhooks, and its part of the load. */
export interface Side {
  readonly name: string;
  /** Its part of the load; resolves when the last story has ended. */
  load(until: number): Promise<void>;
  /** From now on everything outside of it works. */
  heal(): void;
  /** What is still under way, in words. */
  unsettled(): Promise<string[]>;
  observe(): Promise<Observed>;
  stop(): Promise<void>;
}

export interface SideOptions {
  readonly name: string;
  readonly installation: Installation;
  readonly mailServer: ChaosMailServer;
  /** Whether it is asked with keys. */
  readonly deduplicates: boolean;
  /** Of the whole load. */
  readonly share: number;
  readonly retryBaseSeconds: number;
  /** Numbers of its own for each use. */
  readonly randomOf: (use: number) => Random;
  /** Milliseconds since 1970. */
  readonly deadline: number;
}

/** Makes its world. */
export async function startSide(options: SideOptions): Promise<Side> {
  const { name, installation, mailServer, deduplicates, share, retryBaseSeconds, randomOf, deadline } = options;
  const { apiUrls, key: apiKey, databaseUrl, webhookSecret, smtp } = installation;
  const receiver = await startChaosReceiver(randomOf(1));
  const common = { apiUrls, apiKey, insistUntil: () => deadline };
  const besides = createDriver({ ...common, random: randomOf(2) });
  const driver = createDriver({ ...common, random: randomOf(3) });
  const reader = createReader(besides);
  const world = await makeWorld(besides, receiver, webhookSecret);
  return {
    name,
    load: (until) => runLoad({ driver, world, mailServer, smtp, random: randomOf(4), share, until }),
    heal() {
      receiver.heal();
      mailServer.heal();
    },
    unsettled: async () => (await reader.unsettled(world)).map((text) => `${text} (${name})`),
    async observe() {
      const [mails, outcomeUnknown] = [await mailServer.mails(), await openIntents(databaseUrl)];
      const seen = { retryBaseSeconds, deduplicates, calls: driver.calls, mails, hooks: receiver.hooks, outcomeUnknown };
      return { ...seen, ...(await reader.everything(world)) };
    },
    stop: () => receiver.close(),
  };
}

/** Rows without an outcome, which GET /sends does not show: behind a provider that deduplicates they are kept for a retry. */
async function openIntents(databaseUrl: string): Promise<OutcomeUnknownSeen[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    return (await database.query<OutcomeUnknownSeen>('select id, to_email, subject from sends where status is null')).rows;
  } finally {
    await database.end();
  }
}
