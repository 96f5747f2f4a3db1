import type { Config, ReadyConfig } from '../platform/config.ts';
import { ConfigError } from '../platform/config-error.ts';
import type { Logger } from '../platform/logger.ts';
import { onlyProvider } from '../platform/mail/provider-settings.ts';
import { announceRunning, keptSecretKey, type RunningStack, secretKeyFile, takeDataDir } from './data-dir.ts';
import type { GuardedProcess } from './guarded-process.ts';
import { startMailbox } from './mailbox.ts';
import { hiddenEndpoint, requireFreePort } from './ports.ts';
import { startPostgres } from './postgres.ts';
import type { Progress } from './progress.ts';
import { type RestartedServer, restartWhenEnded, withServers } from './restarted-server.ts';
import { startTemporal } from './temporal.ts';
import { temporalBinary } from './temporal-binary.ts';
import { startTemporalWeb } from './temporal-web.ts';

export interface LocalStack {
  readonly config: ReadyConfig;
  /** The variable or the file that the secret key is from. */
  readonly secretKeyFrom: string;
  /** null: not embedded. */
  readonly temporalUiUrl: string | null;
  readonly mailboxUrl: string | null;
  /** Rejects when an embedded server has ended by itself again and again; never resolves. Else it is started again. */
  readonly failed: Promise<never>;
  /** Does a step of the start, and does it again when an embedded server ended meanwhile and is back: one that may be done twice. */
  steadily<T>(step: () => Promise<T>): Promise<T>;
  /** Writes DATA_DIR/run.json, so that other programs find this instance. */
  announce(apiUrl: string | null): Promise<void>;
  /** Temporal first, PostgreSQL last. */
  stop(): Promise<void>;
}

/** Brings up whatever is not configured from outside, on the data of earlier runs. Throws ConfigError with what a person can do. */
export async function startLocalStack(wanted: Config, progress: Progress, log: Logger): Promise<LocalStack> {
  const config = await withVisiblePorts(wanted);
  const release = await takeDataDir(config.dataDir);
  const parts: { stop(): Promise<void> }[] = [];
  const servers: RestartedServer[] = [];
  /** `again`: on the addresses of the first time, which everybody knows. */
  const keep = (server: GuardedProcess, again: () => Promise<{ readonly process: GuardedProcess }>): void => {
    const restarted = restartWhenEnded(server, { again: async () => (await again()).process, log });
    parts.push(restarted);
    servers.push(restarted);
  };
  const stop = async (): Promise<void> => {
    for (const part of parts.toReversed()) await part.stop();
    await release();
  };
  try {
    const { dataDir } = config;
    const secretKey = config.secretKey ?? (await keptSecretKey(dataDir));
    // Before anything runs: it may take minutes.
    const binary = config.temporalAddress === undefined ? await temporalBinary(config, progress) : undefined;
    const postgres = config.databaseUrl === undefined ? await startPostgres({ dataDir, progress }) : undefined;
    if (postgres) keep(postgres.process, () => startPostgres({ dataDir, progress, port: portOf(postgres.url) }));
    const pagePort = config.mailboxPort;
    const mailbox = config.emailProviders ? undefined : await startMailbox({ dataDir, pagePort, progress });
    if (mailbox) keep(mailbox.process, () => startMailbox({ dataDir, pagePort, smtpPort: portOf(mailbox.smtpUrl.href), progress }));
    const ui = await hiddenEndpoint();
    const temporal = binary === undefined ? undefined : await startTemporal({ binary, dataDir, ui, progress });
    if (temporal) {
      const port = portOf(`grpc://${temporal.address}`);
      keep(temporal.process, () => startTemporal({ binary: binary!, dataDir, ui, port, progress }));
      const web = await startTemporalWeb({ port: config.temporalUiPort, target: ui });
      parts.push({ stop: web.close });
    }
    const temporalUiUrl = temporal ? `http://localhost:${config.temporalUiPort}` : null;
    const mailboxUrl = mailbox ? `http://localhost:${config.mailboxPort}` : null;
    const ready: ReadyConfig = {
      ...config,
      secretKey,
      databaseUrl: (postgres?.url ?? config.databaseUrl)!,
      temporalAddress: (temporal?.address ?? config.temporalAddress)!,
      temporalEmbedded: temporal !== undefined,
      temporalUiUrl: config.temporalUiUrl ?? temporalUiUrl ?? undefined,
      emailProviders: mailbox ? [onlyProvider(mailbox.smtpUrl)] : config.emailProviders!,
      mailboxUrl: mailboxUrl ?? undefined,
    };
    return {
      config: ready,
      secretKeyFrom: config.secretKey ? 'SECRET_KEY' : secretKeyFile(dataDir),
      temporalUiUrl,
      mailboxUrl,
      failed: firstOf(servers.map(({ failed }) => failed)),
      steadily: (step) => withServers(servers, step),
      announce: (apiUrl) => announceRunning(dataDir, { ...runningStack(ready), temporalUiUrl, mailboxUrl, apiUrl }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Before anything is started, so that a port in use is told at once. A port of 0 becomes a free one. */
async function withVisiblePorts(config: Config): Promise<Config> {
  const port = await requireFreePort('PORT', config.port, config.host);
  const embedded = { temporal: config.temporalAddress === undefined, mailbox: config.emailProviders === undefined };
  const ports = {
    port,
    temporalUiPort: embedded.temporal
      ? await requireFreePort('TEMPORAL_UI_PORT', config.temporalUiPort, '127.0.0.1')
      : config.temporalUiPort,
    mailboxPort: embedded.mailbox ? await requireFreePort('MAILBOX_PORT', config.mailboxPort, '127.0.0.1') : config.mailboxPort,
    smtpPort: config.smtp.port && (await requireFreePort('SMTP_PORT', config.smtp.port, config.smtp.host)),
    metricsPort: config.metricsPort && (await requireFreePort('METRICS_PORT', config.metricsPort, config.host)),
  };
  requireDifferent([
    ['PORT', ports.port],
    ...(embedded.temporal ? [['TEMPORAL_UI_PORT', ports.temporalUiPort] as const] : []),
    ...(embedded.mailbox ? [['MAILBOX_PORT', ports.mailboxPort] as const] : []),
    ...(ports.smtpPort ? [['SMTP_PORT', ports.smtpPort] as const] : []),
    ...(ports.metricsPort ? [['METRICS_PORT', ports.metricsPort] as const] : []),
  ]);
  const { smtpPort, ...others } = ports;
  const publicUrl = config.publicUrl === 'http://localhost:0' ? `http://localhost:${port}` : config.publicUrl;
  return { ...config, ...others, smtp: { ...config.smtp, port: smtpPort }, publicUrl };
}

function requireDifferent(ports: readonly (readonly [variable: string, port: number])[]): void {
  for (const [index, [variable, port]] of ports.entries()) {
    const other = ports.slice(0, index).find(([, taken]) => taken === port);
    if (other) throw new ConfigError(`${variable} and ${other[0]} are both ${port}; set one of them to another port`);
  }
}

function runningStack(config: ReadyConfig): Omit<RunningStack, 'temporalUiUrl' | 'mailboxUrl' | 'apiUrl'> {
  return {
    pid: process.pid,
    databaseUrl: config.databaseUrl,
    temporalAddress: config.temporalAddress,
    temporalEmbedded: config.temporalEmbedded,
    secretKey: config.secretKey.toString('base64'),
    previousSecretKeys: config.previousSecretKeys.map((key) => key.toString('base64')),
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function firstOf(failures: readonly Promise<never>[]): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    for (const failure of failures) failure.catch(reject);
  });
  failed.catch(() => {});
  return failed;
}
