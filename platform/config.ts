import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ProviderRoute } from '../domain/sends/provider-order.ts';
import type { ReceiverRule } from '../domain/sends/receiver-rules.ts';
import type { ReturnPath } from '../domain/sends/return-path.ts';
import { ConfigError } from './config-error.ts';
import type { NameServer } from './dns/name-server.ts';
import { MAIL_PROTOCOLS, MAIL_URL_EXAMPLE, MAIL_URL_EXAMPLES } from './mail/create-provider.ts';
import { EMAIL_PROVIDERS, EMAIL_ROUTES, type EmailProvider, knownRoutes, rateOfAll, settledProviders } from './mail/provider-settings.ts';
import { EMAIL_RECEIVERS } from './mail/receiver-settings.ts';
import { FILES_URL_EXAMPLE } from './objects/s3-url.ts';
import {
  BASE_URL,
  FLAG,
  HOST_AND_PORT,
  HOST_NAME,
  NAME_SERVERS,
  numberFrom,
  oneOf,
  PORT,
  PROXIES,
  RETURN_PATH,
  SECRET_KEY,
  SECRET_KEYS,
  type SettingRule,
  TEXT,
  urlOf,
  wholeNumber,
} from './setting-rules.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Everything that can be set from outside: docs/contract/running.md 1. Durations and rates carry their unit in the name. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Of `npm run api`, sharing the port. `npm start` has one. */
  readonly apiProcesses: number;
  /** Base of every link in mail, without a trailing slash. */
  readonly publicUrl: string;
  /** undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** undefined: the embedded Temporal development server. */
  readonly temporalAddress: string | undefined;
  /** Absolute path of the folder that holds the data of everything embedded. */
  readonly dataDir: string;
  /** 32 bytes; undefined: made once in dataDir by the embedded stack. */
  readonly secretKey: Buffer | undefined;
  /** Keys that were SECRET_KEY before: what they sealed and signed still holds. */
  readonly previousSecretKeys: readonly Buffer[];
  /** At least one of them; undefined: the embedded mailbox. */
  readonly emailProviders: readonly EmailProvider[] | undefined;
  /** How fast certain receivers get mails, of each process. */
  readonly emailReceivers: readonly ReceiverRule[];
  /** By which of them certain mails go. */
  readonly emailRoutes: readonly ProviderRoute[];
  /** From the AWS variables, for ses:// and s3://. */
  readonly awsCredentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string } | undefined;
  readonly temporalUiPort: number;
  /** Address of Temporal Web for people, without a slash at the end; undefined: the embedded server's own, or unknown. */
  readonly temporalUiUrl: string | undefined;
  readonly mailboxPort: number;
  /** Of the page of metrics of this process; undefined: there is none. */
  readonly metricsPort: number | undefined;
  readonly temporalCliPath: string | undefined;
  /** Where a downloaded or built Temporal server is kept between projects. */
  readonly userCacheDir: string;
  readonly webhookAllowPrivate: boolean;
  /** The first pause of a delivery that is retried. */
  readonly webhookRetryBaseSeconds: number;
  /** The same of the call of a webhook node. */
  readonly webhookNodeRetryBaseSeconds: number;
  /** More first attempts than this that wait for one endpoint are made by its burst. */
  readonly webhookBurstAt: number;
  /** Calls at once to one endpoint, of each worker process. */
  readonly webhookEndpointConcurrency: number;
  /** 0 switches the limit off. */
  readonly rateLimitBurst: number;
  readonly rateLimitPerSecond: number;
  /** Per worker process. */
  readonly sendConcurrency: number;
  /** Of SEND_RATE_PER_SECOND, and no more than the providers take together. 0: no limit. */
  readonly sendRatePerSecond: number;
  readonly templatesDir: string | undefined;
  /** CIDR ranges of the proxies whose X-Forwarded-For is believed; undefined: none. */
  readonly trustedProxies: readonly string[] | undefined;
  /** Asked for the records of domains; undefined: the system's. */
  readonly dnsServers: readonly NameServer[] | undefined;
  /** The name whose SPF record lists the servers that mail leaves by; undefined: nobody told. */
  readonly spfInclude: string | undefined;
  /** Where bounces come back that are told later, of mail that leaves by SMTP; undefined: to its sender. */
  readonly returnPath: ReturnPath | undefined;
  /** The host that links in mail may lead to by a name of their sender's domain; undefined: they lead to that of PUBLIC_URL. */
  readonly trackingHost: string | undefined;
  /** Age at which DKIM keys get a successor; undefined: by themselves they get none. */
  readonly dkimRotateAfterMs: number | undefined;
  readonly logLevel: LogLevel;
  readonly softBounceLimit: number;
  /** undefined: a folder in dataDir. */
  readonly filesUrl: URL | undefined;
  /** Days that the content of a mail's attachments is kept. */
  readonly filesKeptMs: number;
  readonly smtp: SmtpConfig;
}

/** Of the SMTP entrance. */
export interface SmtpConfig {
  /** undefined: `npm start` has none, and `npm run smtp` has DEFAULT_SMTP_PORT. */
  readonly port: number | undefined;
  readonly host: string;
  /** Paths; undefined: there is no TLS. */
  readonly tlsFiles: { readonly cert: string; readonly key: string } | undefined;
  /** TLS from the first byte on. */
  readonly isImplicit: boolean;
  /** At once. */
  readonly connections: number;
  /** Of a message. */
  readonly mostBytes: number;
}

/** A configuration with an address for everything the API and the worker stand on. */
export interface ReadyConfig extends Config {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** The address is the embedded server's: the variables for namespace, TLS and API key do not apply to it. */
  readonly temporalEmbedded: boolean;
  readonly secretKey: Buffer;
  readonly emailProviders: readonly EmailProvider[];
  /** The page of the mailbox that comes with `npm start`; undefined: mails go to a provider. */
  readonly mailboxUrl?: string | undefined;
}

const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const MOST_API_PROCESSES = 64;
const DAY_MS = 86_400_000;
/** The record of an old key is kept for a week, and a person sets the new one. */
const MOST_OFTEN_ROTATED_DAYS = 30;

/** A core is left to the threads that compose, and to PostgreSQL where it is on the same machine: calls that share a process share its statements. */
function apiProcessesFor(cores: number): number {
  return Math.min(Math.max(1, cores - 1), MOST_API_PROCESSES);
}

function daysMs(days: number | undefined): number | undefined {
  return days === undefined ? undefined : days * DAY_MS;
}

/** Reads the environment once. Throws ConfigError with the variable's name and what it should be. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const { setting, secret } = readerOf(env);
  const apiPort = setting('PORT', PORT) ?? 3000;
  const metricsPort = setting('METRICS_PORT', PORT);
  if (metricsPort && metricsPort === apiPort)
    throw new ConfigError(`METRICS_PORT and PORT are both ${apiPort}; set one of them to another port`);
  const logLevel = setting('LOG_LEVEL', oneOf(LOG_LEVELS)) ?? 'info';
  const publicUrl = secret('PUBLIC_URL', BASE_URL)?.href ?? `http://localhost:${apiPort}`;
  const webhookRetryBaseSeconds = setting('WEBHOOK_RETRY_BASE_SECONDS', numberFrom(0.01)) ?? 120;
  const emailProviders = settledProviders(
    secret('EMAIL_PROVIDER_URL', urlOf(MAIL_PROTOCOLS, MAIL_URL_EXAMPLES)),
    secret('EMAIL_PROVIDERS', EMAIL_PROVIDERS),
  );
  return {
    port: apiPort,
    host: setting('HOST', TEXT) ?? '127.0.0.1',
    apiProcesses: setting('API_PROCESSES', wholeNumber(1, MOST_API_PROCESSES)) ?? apiProcessesFor(availableParallelism()),
    publicUrl: publicUrl.replace(/\/+$/, ''),
    databaseUrl: secret('DATABASE_URL', urlOf(['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/everpost'))?.href,
    temporalAddress: setting('TEMPORAL_ADDRESS', HOST_AND_PORT),
    dataDir: resolve(setting('DATA_DIR', TEXT) ?? '.everpost'),
    secretKey: secret('SECRET_KEY', SECRET_KEY),
    previousSecretKeys: secret('SECRET_KEY_PREVIOUS', SECRET_KEYS) ?? [],
    emailProviders,
    emailReceivers: setting('EMAIL_RECEIVERS', EMAIL_RECEIVERS) ?? [],
    emailRoutes: knownRoutes(emailProviders, secret('EMAIL_ROUTES', EMAIL_ROUTES)),
    awsCredentials: awsCredentials((name) => secret(name, TEXT)),
    temporalUiPort: setting('TEMPORAL_UI_PORT', PORT) ?? 8233,
    temporalUiUrl: secret('TEMPORAL_UI_URL', urlOf(['http:', 'https:'], 'https://temporal.example.com'))?.href.replace(/\/+$/, ''),
    mailboxPort: setting('MAILBOX_PORT', PORT) ?? 1080,
    metricsPort,
    temporalCliPath: setting('TEMPORAL_CLI_PATH', TEXT),
    userCacheDir: join(setting('XDG_CACHE_HOME', TEXT) ?? join(homedir(), '.cache'), 'everpost'),
    webhookAllowPrivate: setting('WEBHOOK_ALLOW_PRIVATE', FLAG) ?? false,
    webhookRetryBaseSeconds,
    webhookNodeRetryBaseSeconds: setting('WEBHOOK_NODE_RETRY_BASE_SECONDS', numberFrom(0.001)) ?? webhookRetryBaseSeconds / 4,
    webhookBurstAt: setting('WEBHOOK_BURST_AT', wholeNumber(0, 1_000_000)) ?? 200,
    webhookEndpointConcurrency: setting('WEBHOOK_ENDPOINT_CONCURRENCY', wholeNumber(1, 200)) ?? 50,
    rateLimitBurst: setting('RATE_LIMIT_BURST', wholeNumber(0)) ?? 60,
    rateLimitPerSecond: setting('RATE_LIMIT_PER_SECOND', numberFrom(0)) ?? 10,
    sendConcurrency: setting('SEND_CONCURRENCY', wholeNumber(1, 1000)) ?? 20,
    sendRatePerSecond: slowest(setting('SEND_RATE_PER_SECOND', numberFrom(0)), rateOfAll(emailProviders)),
    templatesDir: setting('TEMPLATES_DIR', TEXT),
    trustedProxies: setting('TRUST_PROXY', PROXIES),
    dnsServers: setting('DNS_SERVERS', NAME_SERVERS),
    spfInclude: setting('SPF_INCLUDE', HOST_NAME),
    returnPath: setting('RETURN_PATH', RETURN_PATH),
    trackingHost: setting('TRACKING_HOST', HOST_NAME),
    dkimRotateAfterMs: daysMs(setting('DKIM_ROTATE_DAYS', wholeNumber(MOST_OFTEN_ROTATED_DAYS, 3650))),
    logLevel,
    softBounceLimit: setting('SOFT_BOUNCE_LIMIT', wholeNumber(1)) ?? 1,
    filesUrl: secret('FILES_URL', urlOf(['s3:'], FILES_URL_EXAMPLE)),
    filesKeptMs: (setting('FILES_KEPT_DAYS', wholeNumber(1, 3650)) ?? 30) * DAY_MS,
    smtp: readSmtp(setting),
  };
}

/** 0: there is none. */
function slowest(...rates: readonly (number | undefined)[]): number {
  const set = rates.filter((rate) => rate !== undefined && rate > 0) as number[];
  return set.length > 0 ? Math.min(...set) : 0;
}

/** The port of a mail submission that needs no rights. */
export const DEFAULT_SMTP_PORT = 2525;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

function readSmtp(setting: SettingReader['setting']): SmtpConfig {
  const [cert, key] = [setting('SMTP_TLS_CERT', TEXT), setting('SMTP_TLS_KEY', TEXT)];
  if ((cert === undefined) !== (key === undefined)) {
    const [set, missing] = cert === undefined ? ['SMTP_TLS_KEY', 'SMTP_TLS_CERT'] : ['SMTP_TLS_CERT', 'SMTP_TLS_KEY'];
    throw new ConfigError(`${set} is set and ${missing} is not; it should be the file of the other one of certificate and key`);
  }
  const tlsFiles = cert === undefined || key === undefined ? undefined : { cert, key };
  const isImplicit = setting('SMTP_TLS', oneOf(['starttls', 'implicit'])) === 'implicit';
  if (isImplicit && !tlsFiles) throw new ConfigError('SMTP_TLS is "implicit"; SMTP_TLS_CERT and SMTP_TLS_KEY should be set beside it');
  const host = setting('SMTP_HOST', TEXT) ?? '127.0.0.1';
  if (!tlsFiles && !LOOPBACK.includes(host))
    throw new ConfigError(
      `SMTP_HOST is "${host}", where nobody may log in without TLS; SMTP_TLS_CERT and SMTP_TLS_KEY should be set beside it`,
    );
  return {
    port: setting('SMTP_PORT', PORT),
    host,
    tlsFiles,
    isImplicit,
    connections: setting('SMTP_CONNECTIONS', wholeNumber(1, 10_000)) ?? 200,
    mostBytes: (setting('SMTP_MESSAGE_MB', wholeNumber(1, 100)) ?? 26) * 1024 * 1024,
  };
}

interface SettingReader {
  /** undefined when it is not set, or blank. Throws ConfigError with the value that is wrong. */
  setting<T>(name: string, rule: SettingRule<T>): T | undefined;
  /** The same for what may hold a password, which is not repeated. */
  secret<T>(name: string, rule: SettingRule<T>): T | undefined;
}

function readerOf(env: Readonly<Record<string, string | undefined>>): SettingReader {
  const read = <T>(name: string, rule: SettingRule<T>, refusal: (text: string, should: string) => string): T | undefined => {
    const text = env[name]?.trim();
    if (!text) return undefined;
    const { success, data, error } = rule.safeParse(text);
    if (!success) throw new ConfigError(refusal(text, error.issues[0]!.message));
    return data;
  };
  return {
    setting: (name, rule) => read(name, rule, (text, should) => `${name} is "${text}"; it should be ${should}`),
    secret: (name, rule) => read(name, rule, (_, should) => `${name} should be ${should}`),
  };
}

/** The process's own configuration. The only place that reads process.env. */
export function processConfig(): Config {
  return readConfig(process.env);
}

/** `from`: the variable or the file with a key that does not open what is stored. */
export function otherSecretKey(from: string): ConfigError {
  return new ConfigError(
    `the secrets in the database were sealed with another key than that of ${from}, and none of SECRET_KEY_PREVIOUS opens them. Set SECRET_KEY to ` +
      'the key that they were sealed with; where the key is being changed, set SECRET_KEY to the new one and SECRET_KEY_PREVIOUS to the old one ' +
      '(docs/operations.md, Another SECRET_KEY)',
  );
}

/** For a process that brings up nothing itself. Throws ConfigError with the name of the first variable that is missing. */
export function requireReady(config: Config): ReadyConfig {
  const required = <T>(name: string, value: T | undefined, example: string): T => {
    if (value === undefined) throw new ConfigError(`${name} is not set; it should be ${example} (npm start needs none of this)`);
    return value;
  };
  return {
    ...config,
    databaseUrl: required('DATABASE_URL', config.databaseUrl, 'a URL like postgresql://user:password@host:5432/everpost'),
    temporalAddress: required('TEMPORAL_ADDRESS', config.temporalAddress, 'host:port, like 127.0.0.1:7233'),
    temporalEmbedded: false,
    secretKey: required('SECRET_KEY', config.secretKey, '32 bytes in base64, for example from: openssl rand -base64 32'),
    emailProviders: required('EMAIL_PROVIDER_URL', config.emailProviders, `a URL like ${MAIL_URL_EXAMPLE}`),
  };
}

/** The names that every AWS tool knows. */
function awsCredentials(text: (name: string) => string | undefined): Config['awsCredentials'] {
  const accessKeyId = text('AWS_ACCESS_KEY_ID');
  const secretAccessKey = text('AWS_SECRET_ACCESS_KEY');
  const sessionToken = text('AWS_SESSION_TOKEN');
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
