import type { Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import type { CompiledContent } from './compiled-content.ts';
import { parseLiquid } from './liquid.ts';
import { heldBy } from './liquid-size.ts';
import { shownBy } from './liquid-tags.ts';
import type { MailContext } from './mail-context.ts';
import { writtenBy } from './used-variables.ts';
import { pathReader } from './variables.ts';

/** Compiled content parsed, so that only running it is left for each mail. */
export interface MailProgram {
  readonly html: readonly Template[];
  readonly text: readonly Template[];
  readonly writes: readonly ShownPath[];
  /** How much memory it holds, at most. */
  readonly bytes: number;
}

/** A subject parsed; text alone has no templates. */
export interface SubjectProgram {
  readonly source: string;
  readonly templates: readonly Template[] | undefined;
  readonly writes: readonly ShownPath[];
}

/** A path whose value the mail shows, and when it does. */
export interface ShownPath {
  readonly path: string;
  readonly read: (variables: object) => unknown;
  readonly isShown: readonly ((context: MailContext) => boolean)[];
}

const SUBJECT_CACHE_BYTES = 4 * 1024 * 1024;

/** Throws LiquidFault. */
export function parseProgram({ html, text, writes }: CompiledContent): MailProgram {
  return {
    html: parseLiquid(html, 'html'),
    text: parseLiquid(text, 'text'),
    writes: writes.map((written) => {
      const { path, showIf } = typeof written === 'string' ? { path: written, showIf: [] } : written;
      return { path, read: pathReader(path), isShown: showIf.map(shownBy) };
    }),
    bytes: heldBy(html) + heldBy(text) + 1000 * writes.length,
  };
}

const subjects = new LRUCache<string, SubjectProgram>({ maxSize: SUBJECT_CACHE_BYTES });

/** Parsed once while it is in use. Throws LiquidFault. */
export function subjectProgram(source: string): SubjectProgram {
  const known = subjects.get(source);
  if (known) return known;
  const templates = source.includes('{') ? parseLiquid(source, 'text') : undefined;
  const writes = templates ? writtenBy(source).map((path) => ({ path, read: pathReader(path), isShown: [] })) : [];
  const program: SubjectProgram = { source, templates, writes };
  subjects.set(source, program, { size: heldBy(source) + 500 * writes.length });
  return program;
}
