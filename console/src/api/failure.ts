/** What stands in the way, as far as it decides what to do about it. */
export type FailureKind = 'connection' | 'key' | 'permission' | 'rate' | 'server' | 'missing' | 'input';

interface Details {
  readonly kind: FailureKind;
  readonly code?: string | undefined;
  readonly status?: number;
  /** One of several for the same code, such as why a contact cannot be enrolled. */
  readonly reason?: string | undefined;
  /** Whole seconds until another try makes sense. */
  readonly retryAfterSeconds?: number | undefined;
  /** For whoever looks into the log. */
  readonly requestId?: string | undefined;
  /** Each thing that is wrong with what was sent. */
  readonly issues?: readonly Issue[];
}

export interface Issue {
  /** As the request has it, like `filter.where.value`. */
  readonly path?: string;
  /** Of a node of the sequence's graph that was sent. */
  readonly nodeId?: string;
  readonly message: string;
}

/** A call that got no good answer; every call fails with this and nothing else. The message is the API's own. */
export class Failure extends Error {
  readonly details: Details;

  constructor(message: string, details: Details) {
    super(message);
    this.name = 'Failure';
    this.details = details;
  }

  get kind(): FailureKind {
    return this.details.kind;
  }

  /** Whether the same call may succeed a little later. */
  get passes(): boolean {
    return this.kind === 'connection' || this.kind === 'rate' || this.kind === 'server';
  }
}

/** Reads an answer that is not 2xx; it need not be the API's own, since a proxy may stand in between. */
export async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text().catch(() => '');
  const body = readJson(text);
  const message = typeof body.error === 'string' ? body.error : `the server answered ${response.status}`;
  return new Failure(message, {
    kind: kindOf(response.status),
    status: response.status,
    code: typeof body.code === 'string' ? body.code : undefined,
    reason: typeof body.reason === 'string' ? body.reason : undefined,
    retryAfterSeconds: Number(response.headers.get('retry-after')) || undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
    issues: Array.isArray(body.issues) ? (body.issues as Issue[]) : [],
  });
}

/** A call that got no answer at all. */
export function lostConnection(): Failure {
  return new Failure('no answer', { kind: 'connection' });
}

/** Whatever was thrown, as a failure. */
export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(error instanceof Error ? error.message : String(error), { kind: 'server' });
}

function kindOf(status: number): FailureKind {
  if (status === 401) return 'key';
  if (status === 403) return 'permission';
  if (status === 404) return 'missing';
  if (status === 429) return 'rate';
  return status >= 500 ? 'server' : 'input';
}

function readJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
