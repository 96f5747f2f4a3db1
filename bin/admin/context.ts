import { text } from 'node:stream/consumers';
import { type EntityManager, type MikroORM, openDatabase } from '../../db/orm.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { type RunningStack, readRunningStack } from '../../local/data-dir.ts';
import type { Config } from '../../platform/config.ts';
import { ConfigError } from '../../platform/config-error.ts';
import type { LazyClient, TemporalTarget } from '../../platform/temporal/connection.ts';
import type { AdminContext, Streams } from './command.ts';

export interface OpenedContext extends AdminContext {
  close(): Promise<void>;
}

/** Milliseconds: what a command loads meanwhile takes seconds on a busy machine, in which no answer is read. */
const PATIENCE = 15_000;

/** The database of the configuration, or that of the instance which runs on DATA_DIR. Throws ConfigError when there is neither. */
export async function openContext(config: Config, { input, errors }: Pick<Streams, 'input' | 'errors'>): Promise<OpenedContext> {
  const running = await readRunningStack(config.dataDir);
  const databaseUrl = config.databaseUrl ?? running?.databaseUrl;
  if (databaseUrl === undefined) {
    throw notSet('DATABASE_URL', config);
  }
  const { secretKey, previousSecretKeys } = config.secretKey || !running ? config : keysOf(running);
  let orm: Promise<MikroORM> | undefined;
  let temporal: Promise<LazyClient> | undefined;
  return {
    databaseUrl,
    dataDir: config.dataDir,
    apiUrl: running?.apiUrl ?? null,
    async em(): Promise<EntityManager> {
      orm ??= openDatabase({ url: databaseUrl, poolSize: 1, patience: PATIENCE, applicationName: 'everpost-admin' });
      return (await orm).em.fork();
    },
    async temporal() {
      temporal ??= connectTemporal(config, running);
      return (await temporal).client;
    },
    note(text) {
      errors.write(`everpost: ${text}\n`);
    },
    progress(text) {
      if (errors.isTTY) errors.write(`\r\x1b[K${text}\r`);
    },
    async input() {
      if (input.isTTY) errors.write('Enter it and end with Ctrl-D on a line of its own:\n');
      return (await text(input)).replace(/\r?\n$/, '');
    },
    vault() {
      if (!secretKey) throw new ConfigError('SECRET_KEY is not set; it should be the one that the API and the worker have');
      return createVault(secretKey, previousSecretKeys);
    },
    async close() {
      await (await temporal?.catch(() => undefined))?.close();
      await (await orm)?.close();
    },
  };
}

async function connectTemporal(config: Config, running: RunningStack | undefined): Promise<LazyClient> {
  const target: TemporalTarget | undefined =
    config.temporalAddress === undefined ? running : { temporalAddress: config.temporalAddress, temporalEmbedded: false };
  if (!target) throw notSet('TEMPORAL_ADDRESS', config);
  // Loaded where it is needed: it is the half of what the program takes to start.
  const { connectClient } = await import('../../platform/temporal/connection.ts');
  return connectClient(target);
}

function keysOf(running: RunningStack): Pick<Config, 'secretKey' | 'previousSecretKeys'> {
  return {
    secretKey: Buffer.from(running.secretKey, 'base64'),
    previousSecretKeys: running.previousSecretKeys.map((key) => Buffer.from(key, 'base64')),
  };
}

function notSet(variable: string, { dataDir }: Config): ConfigError {
  return new ConfigError(
    `${variable} is not set, and no npm start runs on ${dataDir}. If one runs on another folder, set DATA_DIR as it was set for that one`,
  );
}
