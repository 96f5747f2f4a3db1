/** What PostgreSQL and its driver say when the server is away, starting, stopping or cut off. */
const UNAVAILABLE_STATES = new Set(['57P01', '57P02', '57P03', '08000', '08001', '08003', '08004', '08006', '53300']);
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** The driver gives these without any code (pg-pool/index.js, pg/lib/client.js). */
const UNAVAILABLE_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Client has encountered a connection error',
  'Connection terminated due to connection timeout',
];

interface DriverError {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

function chain(error: unknown): DriverError[] {
  const found: DriverError[] = [];
  for (let at = error; at && typeof at === 'object' && found.length < 5; at = (at as DriverError).cause) {
    found.push(at as DriverError);
    const inner = (at as DriverError).errors;
    if (Array.isArray(inner)) found.push(...(inner as DriverError[]));
  }
  return found;
}

/** True when the statement failed because the database cannot be reached now, and would do well later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return chain(error).some(
    ({ code, message }) =>
      (typeof code === 'string' && (UNAVAILABLE_STATES.has(code) || UNAVAILABLE_SYSTEM_CODES.has(code))) ||
      (typeof message === 'string' && UNAVAILABLE_MESSAGES.some((known) => message.startsWith(known))),
  );
}

/** The name of the unique constraint or index that a write ran into, if that is what went wrong. */
export function violatedUnique(error: unknown): string | undefined {
  for (const { code, constraint } of chain(error)) {
    if (code === '23505' && typeof constraint === 'string') return constraint;
  }
  return undefined;
}

/** Data exceptions, program limits, and values that a constraint refuses: SQLSTATE classes 22 and 54, 23502, 23514. */
const BAD_DATA = /^(?:22|54)...$|^23502$|^23514$/;

/** What PostgreSQL says of a statement that it refuses for the data in it, whenever it is tried; undefined for every other error. */
export function badDataMessage(error: unknown): string | undefined {
  const found = chain(error).find(({ code }) => typeof code === 'string' && BAD_DATA.test(code));
  return found && String(found.message);
}

/** True when PostgreSQL ended the transaction because it and others waited for each other: tried again it does well. */
export function isDeadlock(error: unknown): boolean {
  return chain(error).some(({ code }) => code === '40P01');
}

/** True when a table is not there: the migrations have not run on this database. */
export function isSchemaMissing(error: unknown): boolean {
  return chain(error).some(({ code }) => code === '42P01');
}

/** True when a statement waited for a lock longer than its session allows. */
export function isLockTimeout(error: unknown): boolean {
  return chain(error).some(({ code }) => code === '55P03');
}
