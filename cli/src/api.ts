import { type AnswerOf, Everpost, type EverpostError, isEverpostError, type KeyedCallOptions, type OperationName } from '@everpost/client';
import { Failure } from './failure.ts';
import type { Placed, PlacedIssue } from './files/places.ts';
import type { Profile } from './profiles.ts';

/** What each call of the commands takes after the parameters of its path: a body, a query, or both. */
const TAKES = {
  'contacts.delete': [],
  'contacts.get': [],
  'contacts.list': ['query'],
  'contacts.timeline': ['query'],
  'contacts.unsubscribe': [],
  'contacts.upsert': ['body'],
  me: [],
  send: ['body'],
  'sends.list': ['query'],
  'sequences.get': ['query'],
  'sequences.list': [],
  'sequences.replace': ['body', 'query'],
  'sequences.simulate': ['body'],
  'sequences.versions': ['query'],
  'service.ready': [],
  'templates.check': ['body'],
  'templates.content': ['query'],
  'templates.create': ['body'],
  'templates.deleteLanguage': ['query'],
  'templates.enable': ['body', 'query'],
  'templates.list': ['query'],
  'templates.replaceSchema': ['body', 'query'],
  'templates.saveContent': ['body', 'query'],
  'templates.schema': ['query'],
  'templates.source': ['query'],
  'templates.update': ['body'],
  'webhooks.deliveries': ['query'],
  'webhooks.deleteListener': [],
  'webhooks.list': [],
  'webhooks.listen': ['body'],
  'webhooks.nextEvents': ['body'],
} as const satisfies Partial<Record<OperationName, readonly ('body' | 'query')[]>>;

export type Operation = keyof typeof TAKES;

export interface CallInput extends Pick<KeyedCallOptions, 'idempotencyKey' | 'signal'> {
  /** The parameters of the path, in order. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: what files and answers of several forms hold
export type Answered = any;

/** A refusal of the API. */
export class ApiFailure extends Failure {
  readonly status: number | undefined;
  readonly issues: readonly PlacedIssue[];
  /** Nothing that knows of the call has answered, so what became of it is not known. */
  readonly isUnanswered: boolean;
  override readonly isPlaced: boolean;
  readonly #error: EverpostError;

  constructor(error: EverpostError, message: string, issues: readonly PlacedIssue[] = issuesOf(error)) {
    super(message, { code: error.code });
    this.#error = error;
    this.status = error.status;
    this.issues = issues;
    this.isUnanswered = error.status === undefined || (error.code === 'unexpected_answer' && error.status >= 500);
    this.isPlaced = issues.some(({ file }) => file !== undefined);
  }

  /** The same, told with the places of its issues in files, where any has one. */
  at(placed: readonly Placed[]): ApiFailure {
    if (placed.every(({ issue }) => issue.file === undefined)) return this;
    return new ApiFailure(
      this.#error,
      placed.map(({ words }) => words).join('\n'),
      placed.map(({ issue }) => issue),
    );
  }
}

/** One thing that is wrong with what was sent. */
export interface Issue {
  readonly path?: string;
  readonly nodeId?: string;
  readonly message: string;
}

/** The way to the API. What it refuses is a failure in words. */
export interface Api {
  readonly url: string;
  call<O extends Operation>(operation: O, input?: CallInput): Promise<AnswerOf<O>>;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Calls by the client for TypeScript, with one key. `named`: what a path in a refusal is called to whoever ran the command. */
export function createApi({ url, apiKey }: Pick<Profile, 'url' | 'apiKey'>, named: (path: string) => string = (path) => path): Api {
  // A client without a key would take that of the environment, which may be for another address.
  const everpost = new Everpost({ url, apiKey: apiKey ?? 'none' });
  let hasAnswered = false;
  return {
    url,
    async call<O extends Operation>(operation: O, { path = [], query, body, ...options }: CallInput = {}) {
      const [group = '', name] = operation.split('.');
      const found = (everpost as unknown as Record<string, Method | Record<string, Method>>)[group];
      const method = typeof found === 'function' ? found : found?.[name ?? ''];
      if (!method) throw new Failure(`this version of @everpost/client knows no ${operation}`);
      const takes: readonly string[] = TAKES[operation];
      try {
        const answer = (await method(...path, ...takes.map((what) => (what === 'body' ? (body ?? {}) : query)), options)) as AnswerOf<O>;
        hasAnswered = true;
        return answer;
      } catch (error) {
        if (isEverpostError(error)) throw new ApiFailure(error, wordsOf(error, url, named, hasAnswered));
        throw error;
      }
    },
  };
}

function issuesOf(error: EverpostError): readonly Issue[] {
  const { issues } = error as { readonly issues?: unknown };
  return Array.isArray(issues) ? issues : [];
}

function wordsOf(error: EverpostError, url: string, named: (path: string) => string, hasAnswered: boolean): string {
  const { code, status, message } = error;
  if (code === 'connection_failed' && hasAnswered) return `${url} does not answer any more`;
  if (code === 'connection_failed')
    return `${url} does not answer; is that the right address? EVERPOST_URL, --url or everpost login sets it`;
  // Its page is of no use to anybody here.
  if (code === 'unexpected_answer') return notEverpost(url, status ?? 0);
  if (status === 401) return `the key is not valid at ${url}; npm run -s admin -- key create makes one, and everpost login keeps it`;
  const issues = issuesOf(error).slice(0, 20);
  if (issues.length === 0) return `${message} (${code})`;
  const lines = issues.map(({ path, nodeId, message: what }) => {
    const where = path ? named(path) : nodeId;
    return `\n  ${where ? `${where}: ` : ''}${what}`;
  });
  return `${code}:${lines.join('')}`;
}

/** What is said of an answer that is not of Everpost's. */
export function notEverpost(url: string, status: number): string {
  return `${url} answers with status ${status}, but not as Everpost does: ${whoAnswers(status)}`;
}

function whoAnswers(status: number): string {
  if (status >= 500) return 'a proxy in front of it seems to have answered; is Everpost running behind it?';
  if (status >= 300 && status < 400) return 'it redirects; use the address that it redirects to: EVERPOST_URL, --url or everpost login';
  return 'is that the right address? EVERPOST_URL, --url or everpost login sets it';
}
