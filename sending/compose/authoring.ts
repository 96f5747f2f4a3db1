import type { Issue } from '../../domain/errors.ts';
import type { SendType } from '../../domain/sends/send.ts';
import type { Simulation, SimulationRequest } from '../../domain/sequences/simulate.ts';
import type { CompiledContent } from '../../domain/templates/compiled-content.ts';
import { type Content, contentJson, contentPath, contentTooLarge } from '../../domain/templates/content.ts';
import type { TemplateSchema } from '../../domain/templates/data-schema.ts';
import { type OwnContent, partOf } from '../../domain/templates/own-content.ts';
import type { DataField } from '../../domain/templates/registry-entry.ts';
import type { RenderedMail } from '../../domain/templates/render.ts';
import type { VariableScope } from '../../domain/templates/variable-spelling.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ThreadUse } from '../../platform/metrics/watch-threads.ts';
import { createThreadPool } from './thread-pool.ts';

/** Content made ready, or everything that is wrong with it. */
export type Authored = { readonly content: Content; readonly compiled: CompiledContent } | { readonly issues: readonly Issue[] };

/** What a call brought in place of a template, made ready, or everything that is wrong with it. */
export type AuthoredOwn = { readonly compiled: CompiledContent } | { readonly issues: readonly Issue[] };

export interface PreviewRequest<Given = unknown> {
  /** As a caller gave it, or as it is stored. */
  readonly template: { readonly given: Given } | { readonly content: Content; readonly compiled: CompiledContent };
  /** The HTML of what was given says where each block is. */
  readonly isMarked?: boolean;
  /** The language of what was given; undefined: the default. */
  readonly locale?: string | undefined;
  /** Liquid. */
  readonly subject: string;
  readonly type: SendType;
  /** From `mailVariables`. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export type Preview = { readonly mail: RenderedMail } | { readonly issues: readonly Issue[] };

export interface SchemaRequest {
  readonly type: SendType;
  readonly dataSchema: readonly DataField[];
  readonly subject: string;
  readonly content: Content;
}

/** A text whose Liquid is to be read, and what it may read. `at`: where it was written. */
export interface LiquidText {
  readonly source: string;
  readonly at: string;
  readonly scope: VariableScope;
}

/**
 * Reads what tenants write, in a thread that can be ended: what is too slow or too large is an issue of the content like any other, and holds
 * up nobody but authors. `author`: whose it is; authors take turns.
 */
export interface Authoring {
  /** `locale`: the language that it is in; undefined: the default. */
  compile(value: unknown, author?: string, locale?: string): Promise<Authored>;
  compileOwn(own: OwnContent, author?: string): Promise<AuthoredOwn>;
  preview(request: PreviewRequest, author?: string): Promise<Preview>;
  /** For each Liquid source why it does not parse; undefined where it does. */
  liquidFaults(sources: readonly string[], author?: string): Promise<readonly (string | undefined)[]>;
  /** For each text what it reads and has no value; nothing of one that does not parse, or of any when reading them takes too long. */
  misspelled(texts: readonly LiquidText[], author?: string): Promise<readonly (readonly Issue[])[]>;
  schema(request: SchemaRequest, author?: string): Promise<TemplateSchema | { readonly issues: readonly Issue[] }>;
  /** Undefined when the graph has no entry node. */
  simulate(request: SimulationRequest, author?: string): Promise<Simulation | undefined | { readonly issues: readonly Issue[] }>;
  threads(): ThreadUse;
  close(): Promise<void>;
}

export interface AuthoringOptions {
  readonly log: Pick<Logger, 'error'>;
  /** Of running, for one request. Default 2000. */
  readonly requestMs?: number;
  /** The same for the rendering of a preview: that of a mail. Default 250. */
  readonly mailMs?: number;
}

/** What crosses to the thread. */
export type AuthoringTask =
  | { readonly do: 'compile'; readonly given: GivenContent; readonly locale: string | undefined }
  | { readonly do: 'own'; readonly own: OwnContent }
  | { readonly do: 'preview'; readonly request: PreviewRequest<GivenContent> }
  | { readonly do: 'faults'; readonly sources: readonly string[] }
  | { readonly do: 'spelling'; readonly texts: readonly LiquidText[] }
  | { readonly do: 'schema'; readonly request: SchemaRequest }
  | { readonly do: 'simulate'; readonly request: SimulationRequest };

/** Content as a caller gave it, as JSON: a text crosses in a moment, and a hundred thousand objects do not. */
export type GivenContent = string;

export interface AuthoringThreadData {
  readonly mailMs: number;
}

const REQUEST_MS = 2000;
/** Of running, for one mail, whoever it is rendered for. */
export const MAIL_MS = 250;
const HEAP_MB = 256;
const IDLE_MS = 60_000;

export function createAuthoring({ requestMs = REQUEST_MS, mailMs = MAIL_MS, log }: AuthoringOptions): Authoring {
  const pool = createThreadPool<AuthoringTask, unknown>({
    file: new URL('./authoring-thread.ts', import.meta.url),
    data: { mailMs } satisfies AuthoringThreadData,
    minThreads: 0,
    maxThreads: 1,
    itemMs: requestMs,
    heapMb: HEAP_MB,
    idleMs: IDLE_MS,
    log,
  });

  /** The answer, or in its place what is said of something whose thread had to be ended. */
  const ask = async <R>(task: AuthoringTask, author: string, ended: (why: string) => R): Promise<R> => {
    const outcome = await pool.run(task, author);
    return 'answer' in outcome ? (outcome.answer as R) : ended(outcome.ended);
  };
  const issuesOf = (why: string, path = 'content'): { readonly issues: readonly Issue[] } => ({ issues: [{ path, message: why }] });

  return {
    async compile(value, author = NOBODY, locale = undefined) {
      const given = contentJson(value);
      return given === undefined
        ? tooLarge(value)
        : ask<Authored>({ do: 'compile', given, locale }, author, (why) => issuesOf(why, contentPath(value)));
    },
    compileOwn: (own, author = NOBODY) =>
      ask<AuthoredOwn>({ do: 'own', own }, author, (why) => ({ issues: [{ path: partOf(own), message: why }] })),
    async preview(request, author = NOBODY) {
      const { template } = request;
      if (!('given' in template)) return ask<Preview>({ do: 'preview', request: { ...request, template } }, author, issuesOf);
      const given = contentJson(template.given);
      return given === undefined
        ? tooLarge(template.given)
        : ask<Preview>({ do: 'preview', request: { ...request, template: { given } } }, author, (why) =>
            issuesOf(why, contentPath(template.given)),
          );
    },
    schema: (request, author = NOBODY) =>
      ask<TemplateSchema | { readonly issues: readonly Issue[] }>({ do: 'schema', request }, author, issuesOf),
    async liquidFaults(sources, author = NOBODY) {
      // Most texts have none.
      if (!sources.some((source) => source.includes('{'))) return sources.map(() => undefined);
      return ask<readonly (string | undefined)[]>({ do: 'faults', sources }, author, (why) =>
        sources.map((source) => (source.includes('{') ? why : undefined)),
      );
    },
    async misspelled(texts, author = NOBODY) {
      const nothing = texts.map(() => []);
      if (texts.length === 0) return nothing;
      return ask<readonly (readonly Issue[])[]>({ do: 'spelling', texts }, author, () => nothing);
    },
    simulate: (request, author = NOBODY) =>
      ask<Simulation | undefined | { readonly issues: readonly Issue[] }>({ do: 'simulate', request }, author, (why) => ({
        issues: [{ path: '', message: `the simulation is ${why}` }],
      })),
    threads: () => pool.use(),
    close: () => pool.close(),
  };
}

const NOBODY = '';

/** Found here, so that what is too large does not cross to the thread first. */
function tooLarge(value: unknown): { readonly issues: readonly Issue[] } {
  return { issues: [contentTooLarge(value)] };
}
