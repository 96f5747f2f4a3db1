import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { EntityManager } from '../db/orm.ts';
import type { KeyHolder } from '../db/queries/projects/api-keys.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { RawRequest, SnsClient } from '../domain/inbound/proof.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import type { Scope } from '../domain/projects/scopes.ts';
import type { Logger } from '../platform/logger.ts';
import type { Authoring } from '../sending/compose/authoring.ts';
import type { OwnContents } from '../sending/compose/own-contents.ts';
import type { TemplateRegistry } from '../sending/compose/template-registry.ts';
import type { Sending } from '../sending/sending.ts';
import type { ReadRecords } from '../usecases/domains/check-domain.ts';
import type { FileStore } from '../usecases/files/file-store.ts';
import type { HitCounter } from '../usecases/sends/hit-counter.ts';
import type { Ping } from '../webhooks/ping.ts';
import type { Probe } from './probe.ts';

/** What every handler stands on; made once per process. */
export interface ApiServices {
  readonly vault: Vault;
  readonly registry: TemplateRegistry;
  readonly sending: Sending;
  /** Reads and renders what tenants write, off this thread. */
  readonly authoring: Authoring;
  /** What calls bring in place of a template, made ready. */
  readonly contents: OwnContents;
  /** Bytes of uploaded files and of attachments. */
  readonly files: FileStore;
  /** How long the attachments of a mail are kept, from when it goes. */
  readonly filesKeptMs: number;
  /** Opens and clicks of tracked mail. */
  readonly hits: HitCounter;
  readonly publicUrl: string;
  /** Where the workflows of this instance are looked at, without a slash at the end; undefined when nobody told. */
  readonly temporalWebUrl: string | undefined;
  /** Where mails that do not go out are read; undefined: they do. */
  readonly mailboxUrl: string | undefined;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Checks what SNS signs. */
  readonly sns: SnsClient;
  /** So many soft bounces in a row suppress an address. */
  readonly softBounceLimit: number;
  /** What is wrong with an address that webhooks would go to, as far as its form tells; undefined when nothing is. */
  readonly checkWebhookUrl: (url: string) => string | undefined;
  /** Calls a webhook endpoint at once. */
  readonly pingWebhook: Ping;
  /** Asks DNS for what a name has. */
  readonly readRecords: ReadRecords;
  /** The name whose SPF record lists the servers that mail leaves by; undefined when nobody told. */
  readonly spfInclude: string | undefined;
  /** The host that links in mail may lead to by a name of their sender's domain; undefined: they lead to that of PUBLIC_URL. */
  readonly trackingHost: string | undefined;
  /** The host that mail comes back to by names of sending domains; undefined: to no such name. */
  readonly returnPathHost: string | undefined;
  /** Whether what the API stands on answers just now. */
  readonly probes: { readonly database: Probe; readonly temporal: Probe };
}

/** The caller of one request, as far as the rules need to know. */
export interface Caller {
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
  readonly requestId: string;
  /** The Idempotency-Key header, already checked. */
  readonly idempotencyKey: string | undefined;
  /** Aborted when the request was answered for taking too long: nothing commits or leaves any more. */
  readonly deadline: AbortSignal;
}

export interface PublicContext extends ApiServices {
  readonly em: EntityManager;
  readonly log: Logger;
  readonly caller: Caller;
  /** The headers and the exact bytes, for a route with a signed body. Refused with 413 when it is too large. */
  readonly rawRequest: () => Promise<RawRequest>;
  /** How long the request may take from now on, in place of the usual time. */
  readonly mayTake: (seconds: number) => void;
  /** For a route with a `form`: the body as it comes, refused with 413 beyond so many MB. */
  readonly streamedBody: (mostMb: number) => StreamedBody;
}

/** A body that nobody holds in memory. */
export interface StreamedBody {
  /** The Content-Type header; empty when there is none. */
  readonly contentType: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface KeyContext extends PublicContext {
  /** The project that the key resolves to. Every query takes its id. */
  readonly project: KeyHolder['project'];
  /** The key that came with the request. */
  readonly keyId: KeyHolder['keyId'];
  /** No mail that it asks for leaves. */
  readonly isTestKey: boolean;
  /** As the key has them: `hasScope` knows what they come to. */
  readonly scopes: KeyHolder['scopes'];
  /** Refuses with `forbidden` when the key lacks the scope: for what only some calls of a route need. */
  readonly demandScope: (scope: Scope) => void;
  /** Whether the key has the scope: for what is left out of an answer without it. */
  readonly hasScope: (scope: Scope) => boolean;
}

/** `any key`: any valid key will do. `public`: no key is asked for. */
export type Access = Scope | 'any key' | 'public';

export interface RouteDeclaration<A extends Access, R extends z.ZodType, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1, with :names for parameters. */
  readonly path: string;
  readonly scope: A;
  readonly summary: string;
  /** Rules that the schemas cannot say, for the OpenAPI text. */
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** A request without a body is one whose body is `{}`. */
  readonly isBodyOptional?: boolean;
  /** What the body should be, where the use case itself reads it and `body` takes any object. */
  readonly documentedBody?: z.ZodType;
  /** Where the query decides what the body is: its schema for this query, which `documentedBody` has beside `body`. */
  readonly bodyFor?: (query: z.output<Q>) => z.ZodType;
  /** The body is described only: the handler checks its signature over the raw request before it reads it. */
  readonly hasSignedBody?: boolean;
  /** Of such a body; JSON when omitted. */
  readonly bodyType?: string;
  /** The body is multipart/form-data, read by the handler from `streamedBody`; this describes its parts. */
  readonly form?: z.ZodType;
  /** Contents of `attachments` in its body may be beyond the limit of bodies; they come decoded (api/middleware/attached-contents.ts). */
  readonly hasAttachments?: boolean;
  /** How long a request may take, once its key is known, in place of the usual time. */
  readonly seconds?: number;
  /** The body may be an array too; problems in it are told as `contacts[3].email`, under this name. */
  readonly arrayName?: string;
  /** The array of the body whose elements fail alone: one with what cannot be kept, like NUL, comes as its Refusal. */
  readonly aloneIn?: string;
  readonly status: 200 | 201;
  /** The answer beside `ok: true`. An answer that fails it is a 500. */
  readonly reply: R;
  /** The answer with status 202, beside `ok: true`, where what was asked for is still to come. */
  readonly accepted?: z.ZodType;
  /** The answer is an Answer of this media type, outside the envelope. */
  readonly answersAs?: 'application/json' | 'text/html' | 'application/octet-stream' | 'text/csv';
  /** Codes of its own, beside those that every route of its access can give. */
  readonly errors?: readonly (ErrorCode | DeclaredError)[];
  /** A request that works and its answer, for the documentation; the first is shown first. A test sends each. */
  readonly examples: readonly [RouteExample, ...RouteExample[]];
  /** Of a route that is no read: it changes nothing but by the mail that it is asked for, so a test key may call it. */
  readonly takesTestKeys?: boolean;
  /** Refused with `email_unverified` while the owner's address is unverified. */
  readonly needsVerifiedOwner?: boolean;
  /** The Idempotency-Key header counts here. `stored`: the answer is kept and given again; `own`: the handler repeats it; `in_answer`: the
   * handler does, and a field of its answer says so instead of the Idempotent-Replayed header. */
  readonly idempotency?: 'stored' | 'own' | 'in_answer';
  handle(
    context: A extends 'public' ? PublicContext : KeyContext,
    input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
  ): Promise<z.input<R> | z.output<R> | Answer>;
}

/** A code where a route gives it in another way than the others. */
export interface DeclaredError {
  readonly code: ErrorCode;
  /** In place of the code's usual one. */
  readonly status?: number;
  /** The schema of its body, where it is not that of the code. */
  readonly schema?: 'UnknownTemplates';
}

/** In the wire form. Of several the title says what each is about. */
export interface RouteExample {
  readonly title?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Of an answer that says what is to come. */
  readonly status?: 202;
  /** The answer beside `ok: true`; of a page its HTML. */
  readonly answer: string | Readonly<Record<string, unknown>>;
}

/** An answer that is not the route's usual one: a page for people, a stored answer given again, or a stream. Sent as it is. */
export class Answer {
  readonly status: number;
  readonly body: string | Readonly<Record<string, unknown>> | Readable;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: Answer['body'], headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A route as the router and the OpenAPI document read it: its own types folded away. */
export type Route = RouteDeclaration<Access, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** One declaration holds everything about a route: address, access, schemas, errors and what it does. */
export function defineRoute<
  A extends Access,
  R extends z.ZodType,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(declaration: RouteDeclaration<A, R, P, Q, B>): Route {
  return declaration as unknown as Route;
}
