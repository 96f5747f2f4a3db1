import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnection, NativeConnectionOptions } from '@temporalio/worker';
import type { ReadyConfig } from '../config.ts';
import { ConfigError } from '../config-error.ts';

/** Where Temporal is, as found in a ReadyConfig. */
export type TemporalTarget = Pick<ReadyConfig, 'temporalAddress' | 'temporalEmbedded'>;

/** A client that connects when it is first used, and again by itself after an outage. */
export interface LazyClient {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
  /** Resolves when the server answers within the time; otherwise rejects with what is wrong. */
  check(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Never waits for the server, so a process that only hands work to Temporal starts and runs while it is down. */
export function lazyClient(target: TemporalTarget): LazyClient {
  const { namespace, options } = settings(target);
  const connection = Connection.lazy(clientOptions(options));
  return {
    client: new Client({ connection, namespace }),
    connection,
    namespace,
    async check(timeoutMs = 2_000) {
      await connection.withDeadline(Date.now() + timeoutMs, () => connection.workflowService.describeNamespace({ namespace }));
    },
    close: () => connection.close(),
  };
}

/** A client whose server has answered. Throws ConfigError when it cannot be reached. */
export async function connectClient(target: TemporalTarget): Promise<LazyClient> {
  const lazy = lazyClient(target);
  try {
    await lazy.check(CONNECT_TIMEOUT_MS);
  } catch (error) {
    await lazy.close();
    throw unreachable(target, lazy.namespace, error);
  }
  return lazy;
}

/** The connection a worker polls with. Throws ConfigError when the server cannot be reached. */
export async function connectWorker(target: TemporalTarget): Promise<{ connection: NativeConnection; namespace: string }> {
  const { namespace, options } = settings(target);
  // Half a second of loading, which the processes that only hand work to Temporal are spared.
  const { NativeConnection } = await import('@temporalio/worker');
  try {
    return { connection: await NativeConnection.connect(options), namespace };
  } catch (error) {
    throw unreachable(target, namespace, error);
  }
}

function settings(target: TemporalTarget): { namespace: string; options: NativeConnectionOptions & { address: string } } {
  const { connectionOptions, namespace } = target.temporalEmbedded
    ? { connectionOptions: {}, namespace: undefined }
    : loadClientConnectConfig({ disableFile: true });
  const address = target.temporalAddress;
  return {
    namespace: namespace ?? 'default',
    // On one machine gzip only costs CPU.
    options: { ...connectionOptions, address, ...(isLocal(address) ? { grpcCompression: { codec: 'none' } as const } : {}) },
  };
}

function clientOptions(options: NativeConnectionOptions & { address: string }): ConnectionOptions {
  const { address, tls, apiKey, metadata } = options;
  return {
    address,
    // Without a bound the pause before the next try grows to two minutes.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 3_000 },
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function isLocal(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]):/.test(address);
}

function unreachable(target: TemporalTarget, namespace: string, error: unknown): ConfigError {
  // Nobody has set an address of the server that `npm start` brought.
  const check = target.temporalEmbedded
    ? 'It is the server of npm start: see that this runs, else start it again'
    : 'Check TEMPORAL_ADDRESS and that the server runs; TEMPORAL_NAMESPACE, TEMPORAL_TLS and TEMPORAL_API_KEY when it asks for them';
  return new ConfigError(
    `Temporal at ${target.temporalAddress} (namespace "${namespace}") cannot be reached: ${reasonOf(error)}. ${check}`,
  );
}

/** Without gRPC's number and name of the status, and without its account of what it waited for. */
function reasonOf(error: unknown): string {
  const told = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const [, status, reason] = /^(?:\d+ ([A-Z_]+): )?(.*?)\.?$/s.exec(told instanceof Error ? told.message : String(told)) ?? [];
  return status === 'DEADLINE_EXCEEDED' ? `no answer within ${CONNECT_TIMEOUT_MS / 1000} seconds` : String(reason);
}
