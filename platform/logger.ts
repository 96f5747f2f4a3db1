import { pino } from 'pino';
import type { LogLevel } from './config.ts';

/** Fields of one log line: ids and numbers, no email addresses at info level or above. */
export type LogFields = Readonly<Record<string, unknown>>;

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Every line has a fixed event name to search for, like `send.accepted`; the rest are fields to filter by. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** Whether lines of this level are written: for those whose fields cost something and are as many as mails. */
  writes(level: Level): boolean;
  child(fields: LogFields): Logger;
}

/**
 * JSON lines on standard error, so that standard output stays free for what a command answers. `about`: further fields of each line, asked
 * for when it is written; those that the line itself has win.
 */
export function createLogger(level: LogLevel, fields: LogFields = {}, about: () => LogFields = () => ({})): Logger {
  return wrap(
    pino(
      {
        level,
        base: fields,
        formatters: { level: (label) => ({ level: label }) },
        timestamp: pino.stdTimeFunctions.isoTime,
        serializers: { error: errorFields },
        mixin: about,
      },
      pino.destination({ dest: 2, sync: false }),
    ),
  );
}

function wrap(target: pino.Logger): Logger {
  const at =
    (level: Level) =>
    (event: string, fields: LogFields = {}): void =>
      target[level]({ event, ...fields });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    writes: (level) => target.isLevelEnabled(level),
    child: (fields) => wrap(target.child(fields)),
  };
}

/** Nothing but what says where it failed: PostgreSQL's details, parameters and payloads are about people. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = pino.stdSerializers.err(error) as pino.SerializedError & { readonly code?: unknown };
  return {
    type,
    message: message.replace(ADDRESS, '…@…'),
    ...(code === undefined ? {} : { code }),
    stack: shortened(stack).replace(ADDRESS, '…@…'),
  };
}

/** Of what libraries and Node called within them only where each error came from: our own lines say what was being done. */
function shortened(stack: string): string {
  const lines = stack.split('\n');
  return lines.filter((line, index) => !FOREIGN.test(line) || !FRAME.test(lines[index - 1] ?? '')).join('\n');
}

const FRAME = /^\s+at /;
const FOREIGN = /^\s+at .*(?:\/node_modules\/|[( ]node:)/;

/** Also what stands before the host of a URL; not the folder of a scoped package. */
const ADDRESS = /[^\s/"'()<>,;:=]+@[^\s/"'()<>,;:]+/g;
