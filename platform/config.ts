import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { ConfigError } from './config-error.ts';
import { MAIL_PROTOCOLS, MAIL_URL_EXAMPLE, MAIL_URL_EXAMPLES } from './mail/create-provider.ts';

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
  /** undefined: the embedded mailbox. */
  readonly emailProviderUrl: URL | undefined;
  /** From the AWS variables, for ses://. */
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
  /** 0: no limit. */
  readonly sendRatePerSecond: number;
  readonly templatesDir: string | undefined;
  /** CIDR ranges of the proxies whose X-Forwarded-For is believed; undefined: none. */
  readonly trustedProxies: readonly string[] | undefined;
  readonly logLevel: LogLevel;
  readonly softBounceLimit: number;
}

/** A configuration with an address for everything the API and the worker stand on. */
export interface ReadyConfig extends Config {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** The address is the embedded server's: the variables for namespace, TLS and API key do not apply to it. */
  readonly temporalEmbedded: boolean;
  readonly secretKey: Buffer;
  readonly emailProviderUrl: URL;
}

const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** What TRUST_PROXY=1 stands for: a proxy on the same machine or in the same private network. */
const PRIVATE_RANGES = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'];
const MOST_API_PROCESSES = 64;

/** Reads the environment once. Throws ConfigError with the variable's name and what it should be. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;

  const number = (name: string, fallback: number, rule: { min: number; max?: number; whole?: boolean }): number => {
    const raw = text(name);
    if (raw === undefined) return fallback;
    const value = Number(raw);
    const { min, max = Number.MAX_SAFE_INTEGER, whole = true } = rule;
    if (!Number.isFinite(value) || value < min || value > max || (whole && !Number.isInteger(value))) {
      const bounds = rule.max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
      throw new ConfigError(`${name} is "${raw}"; it should be a ${whole ? 'whole ' : ''}number ${bounds}`);
    }
    return value;
  };

  const port = (name: string, fallback: number): number => number(name, fallback, { min: 0, max: 65_535 });

  const flag = (name: string): boolean => {
    const raw = text(name);
    if (raw === undefined || raw === '0' || raw === 'false') return false;
    if (raw === '1' || raw === 'true') return true;
    throw new ConfigError(`${name} is "${raw}"; it should be 1 or 0`);
  };

  const url = (name: string, protocols: readonly string[], example: string): URL | undefined => {
    const raw = text(name);
    if (raw === undefined) return undefined;
    const parsed = URL.canParse(raw) ? new URL(raw) : undefined;
    // The value is not repeated: it may hold a password.
    if (!parsed || !protocols.includes(parsed.protocol)) throw new ConfigError(`${name} should be a URL like ${example}`);
    return parsed;
  };

  const apiPort = port('PORT', 3000);
  const metricsPort = text('METRICS_PORT') === undefined ? undefined : port('METRICS_PORT', 0);
  if (metricsPort && metricsPort === apiPort)
    throw new ConfigError(`METRICS_PORT and PORT are both ${apiPort}; set one of them to another port`);
  const logLevel = (text('LOG_LEVEL') ?? 'info') as LogLevel;
  if (!LOG_LEVELS.includes(logLevel)) throw new ConfigError(`LOG_LEVEL is "${logLevel}"; it should be one of ${LOG_LEVELS.join(', ')}`);

  const publicUrl = url('PUBLIC_URL', ['http:', 'https:'], 'https://mail.example.com');
  if (publicUrl && (publicUrl.search || publicUrl.hash || publicUrl.username)) {
    throw new ConfigError(
      'PUBLIC_URL should be a plain base address like https://mail.example.com, without query, fragment or credentials',
    );
  }

  const webhookRetryBaseSeconds = number('WEBHOOK_RETRY_BASE_SECONDS', 120, { min: 0.01, whole: false });

  return {
    port: apiPort,
    host: text('HOST') ?? '127.0.0.1',
    apiProcesses: number('API_PROCESSES', Math.min(availableParallelism(), MOST_API_PROCESSES), { min: 1, max: MOST_API_PROCESSES }),
    publicUrl: (publicUrl?.href ?? `http://localhost:${apiPort}`).replace(/\/+$/, ''),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/everpost')?.href,
    temporalAddress: address('TEMPORAL_ADDRESS', text('TEMPORAL_ADDRESS')),
    dataDir: resolve(text('DATA_DIR') ?? '.everpost'),
    secretKey: secretKey('SECRET_KEY', text('SECRET_KEY')),
    previousSecretKeys: (text('SECRET_KEY_PREVIOUS') ?? '')
      .split(',')
      .flatMap((key) => secretKey('SECRET_KEY_PREVIOUS', key.trim() || undefined) ?? []),
    emailProviderUrl: url('EMAIL_PROVIDER_URL', MAIL_PROTOCOLS, MAIL_URL_EXAMPLES),
    awsCredentials: awsCredentials(text),
    temporalUiPort: port('TEMPORAL_UI_PORT', 8233),
    temporalUiUrl: url('TEMPORAL_UI_URL', ['http:', 'https:'], 'https://temporal.example.com')?.href.replace(/\/+$/, ''),
    mailboxPort: port('MAILBOX_PORT', 1080),
    metricsPort,
    temporalCliPath: text('TEMPORAL_CLI_PATH'),
    userCacheDir: join(text('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'everpost'),
    webhookAllowPrivate: flag('WEBHOOK_ALLOW_PRIVATE'),
    webhookRetryBaseSeconds,
    webhookNodeRetryBaseSeconds: number('WEBHOOK_NODE_RETRY_BASE_SECONDS', webhookRetryBaseSeconds / 4, { min: 0.001, whole: false }),
    webhookBurstAt: number('WEBHOOK_BURST_AT', 200, { min: 0, max: 1_000_000 }),
    webhookEndpointConcurrency: number('WEBHOOK_ENDPOINT_CONCURRENCY', 50, { min: 1, max: 200 }),
    rateLimitBurst: number('RATE_LIMIT_BURST', 60, { min: 0 }),
    rateLimitPerSecond: number('RATE_LIMIT_PER_SECOND', 10, { min: 0, whole: false }),
    sendConcurrency: number('SEND_CONCURRENCY', 20, { min: 1, max: 1000 }),
    sendRatePerSecond: number('SEND_RATE_PER_SECOND', 0, { min: 0, whole: false }),
    templatesDir: text('TEMPLATES_DIR'),
    trustedProxies: trustedProxies(text('TRUST_PROXY')),
    logLevel,
    softBounceLimit: number('SOFT_BOUNCE_LIMIT', 1, { min: 1 }),
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
    emailProviderUrl: required('EMAIL_PROVIDER_URL', config.emailProviderUrl, `a URL like ${MAIL_URL_EXAMPLE}`),
  };
}

function secretKey(name: string, raw: string | undefined): Buffer | undefined {
  if (raw === undefined) return undefined;
  const key = Buffer.from(raw, 'base64');
  if (key.length !== 32) {
    const several = name === 'SECRET_KEY' ? '' : '; several are separated by commas';
    throw new ConfigError(`${name} should be 32 bytes in base64, for example from: openssl rand -base64 32${several}`);
  }
  return key;
}

function address(name: string, raw: string | undefined): string | undefined {
  if (raw !== undefined && !/^\[?[^\s/@]+\]?:\d{1,5}$/.test(raw))
    throw new ConfigError(`${name} is "${raw}"; it should be host:port, like 127.0.0.1:7233`);
  return raw;
}

function trustedProxies(raw: string | undefined): readonly string[] | undefined {
  if (raw === undefined || raw === '0' || raw === 'false') return undefined;
  if (raw === '1' || raw === 'true') return PRIVATE_RANGES;
  return raw.split(',').map((part) => {
    const range = part.trim();
    const cidr = ipaddr.isValid(range) ? `${range}/${ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128}` : range;
    if (!ipaddr.isValidCIDR(cidr))
      throw new ConfigError(`TRUST_PROXY is "${raw}"; it should be 1, or addresses and ranges like 10.0.0.0/8,192.0.2.7`);
    return cidr;
  });
}

/** The names that every AWS tool knows. */
function awsCredentials(text: (name: string) => string | undefined): Config['awsCredentials'] {
  const accessKeyId = text('AWS_ACCESS_KEY_ID');
  const secretAccessKey = text('AWS_SECRET_ACCESS_KEY');
  const sessionToken = text('AWS_SESSION_TOKEN');
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
