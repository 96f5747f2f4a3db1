import { SdkComponent } from '@temporalio/common';
import { DefaultLogger, type LogMetadata, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { WorkflowType } from '../../workflows/contracts.ts';
import type { LogFields, Logger } from '../logger.ts';
import type { SdkMetrics } from './sdk-metrics.ts';

/** The SDK's core writes the same warning for every poller and every task; it is repeated so often at most. */
const REPEAT_MS = 60_000;
/** Different warnings that are kept apart. */
const MOST_KINDS = 100;

type Level = 'info' | 'warn' | 'error';

/** An operator has ended the workflow of an activity that was under way: no fault, and what it did is recorded by itself. */
const ENDED_MEANWHILE = 'Activity not found on completion';

let installed = false;

/**
 * The SDK has one runtime a process; from here on its warnings and errors, and those of its native core, are lines `temporal.sdk` of this log.
 * Task tokens and payloads are left out. `failed` is told of every error. What it counts goes to `metrics`.
 */
export function installSdkRuntime(log: Logger, failed: (taskQueue: unknown, error: Error) => void, metrics?: SdkMetrics): void {
  if (installed) return;
  installed = true;
  const write = (level: Level, fields: LogFields): void => log[level]('temporal.sdk', fields);
  const once = createRepeats(write);
  const logger = new DefaultLogger('WARN', ({ level, message, meta = {} }) => {
    if (isMeant(message, meta)) return;
    if (level === 'ERROR' && meta.error instanceof Error) failed(meta.taskQueue, meta.error);
    const at = level === 'ERROR' ? 'error' : message.startsWith(ENDED_MEANWHILE) ? 'info' : 'warn';
    const fields = { message: told(message), ...shown(meta) };
    if (meta.sdkComponent === SdkComponent.core) once(at, fields);
    else write(at, fields);
  });
  const filter = makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' });
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { filter, forward: {} }, ...(metrics ? { metrics: metrics.exporter } : {}) },
  });
}

/** The workflows whose tasks wait for a mail or a call that goes with them. */
const WAITING_TYPES: readonly unknown[] = ['enrollment', 'webhookDelivery'] satisfies WorkflowType[];
/** A task that takes longer than the server gives it has been lost. */
const TASK_MS = 10_000;

/** Whether it warns of what is as it should be. */
function isMeant(message: string, { workflowType, workflowTaskDuration }: LogMetadata): boolean {
  // Workers of activities alone.
  if (message.startsWith('No workflows registered')) return true;
  // A slow provider or endpoint has lines of its own, and what waits for it is told by the timeline of its workflow.
  return message.startsWith('[TMPRL1104]') && WAITING_TYPES.includes(workflowType) && Number(workflowTaskDuration) < TASK_MS;
}

/** Writes the first line of a kind, and after a minute how many more there were. */
function createRepeats(write: (level: Level, fields: LogFields) => void): typeof write {
  const repeated = new Map<string, number>();
  return (level, fields) => {
    // Ids and numbers tell lines of one kind apart.
    const kind = String(fields.message).replace(/[0-9a-f-]{36}|\d+/g, '#');
    const before = repeated.get(kind);
    if (before !== undefined || repeated.size >= MOST_KINDS) {
      if (before !== undefined) repeated.set(kind, before + 1);
      return;
    }
    repeated.set(kind, 0);
    write(level, fields);
    const tell = (): void => {
      const times = repeated.get(kind) ?? 0;
      repeated.delete(kind);
      if (times > 0) write(level, { message: fields.message, repeated: times });
    };
    setTimeout(tell, REPEAT_MS).unref();
  };
}

const SECRET_FIELDS = /token|payload|failure|completion|details|headers/i;

function shown(meta: LogMetadata): LogFields {
  const entries = Object.entries(meta).filter(([name]) => !SECRET_FIELDS.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? told(value) : value]));
}

/** Longer ones repeat themselves. */
const MOST_CHARACTERS = 500;

function told(text: string): string {
  const short = withoutSecrets(withoutStructure(text));
  return short.length > MOST_CHARACTERS ? `${short.slice(0, MOST_CHARACTERS)}…` : short;
}

/** Of an error of gRPC as Rust prints it, on one line or many, what the server or the way to it said; the rest is the path of its types. */
function withoutStructure(text: string): string {
  return text.replace(/(?:Status \{\s*)?code: ['"]?([^'",]+)['"]?,\s*message: "((?:[^"\\]|\\.)*)".*/s, '$1: $2').replace(/\s+/g, ' ');
}

/** As Rust prints task tokens (base64) and payloads (bytes), in messages and in the answers of the server that it quotes. */
function withoutSecrets(text: string): string {
  return text
    .replace(/TaskToken\([^)]*\)/g, 'TaskToken(…)')
    .replace(/b"(?:[^"\\]|\\.)*"/g, 'b"…"')
    .replace(/\[\d+(?:, \d+){7,}\]/g, '[…]')
    .replace(/[A-Za-z0-9+/]{40,}={0,2}/g, '…');
}
