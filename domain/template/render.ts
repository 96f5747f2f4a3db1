import type { Template } from 'liquidjs';
import type { SendType } from '../send.ts';
import type { CompiledContent } from './compile.ts';
import { isShownWith, LiquidFault, type Output, parseLiquid, runLiquid } from './liquid.ts';
import { writtenBy } from './used-variables.ts';
import { valueAt } from './variables.ts';

export interface RenderInput {
  /** Liquid. */
  readonly subject: string;
  /** From `mailVariables`. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly type: SendType;
}

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Paths that the mail shows and the variables lack. They rendered empty. */
  readonly missing: string[];
}

/** A mail that cannot be rendered. The message is safe to show to the caller. */
export class RenderFailed extends Error {
  override readonly name = 'RenderFailed';
}

/** RFC 5322 2.1.1: what fits in one line of a header. */
const MAX_SUBJECT_LENGTH = 998;
const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** Renders one mail for one recipient; only Liquid runs. Throws RenderFailed. */
export function renderMail(compiled: CompiledContent, input: RenderInput): RenderedMail {
  if (input.type === 'marketing' && !input.variables.unsubscribeUrl) throw new RenderFailed('marketing mail needs an unsubscribe link');
  try {
    const subject = renderSubject(input.subject, input.variables);
    const variables = { ...input.variables, subject };
    const html = runLiquid(parsed(compiled.html, 'html').templates, variables, 'html');
    const text = runLiquid(parsed(compiled.text, 'text').templates, variables, 'text')
      .replace(/\n(?:[ \t]*\n){2,}/g, '\n\n')
      .trimStart();
    const missing = new Set<string>();
    for (const written of [...parsed(input.subject, 'text').writes, ...compiled.writes]) {
      const { path, showIf } = typeof written === 'string' ? { path: written, showIf: [] } : written;
      if (isMissing(variables, path) && showIf.every((condition) => isShownWith(variables, condition))) missing.add(path);
    }
    return { subject, html, text, missing: [...missing] };
  } catch (error) {
    if (error instanceof LiquidFault) throw new RenderFailed(error.message);
    throw error;
  }
}

function renderSubject(source: string, variables: Readonly<Record<string, unknown>>): string {
  const subject = source.includes('{') ? runLiquid(parsed(source, 'text').templates, variables, 'text') : source;
  const oneLine = subject.replace(LINE_BREAKS_AND_CONTROLS, ' ').trim();
  if (oneLine.length > MAX_SUBJECT_LENGTH) throw new RenderFailed(`the subject is longer than ${MAX_SUBJECT_LENGTH} characters`);
  return oneLine;
}

function isMissing(variables: Readonly<Record<string, unknown>>, path: string): boolean {
  const value = valueAt(variables, path);
  return value === undefined || value === null;
}

interface Parsed {
  readonly templates: Template[];
  readonly writes: readonly string[];
}

const MAX_PARSED = 300;
const PARSED: Record<Output, Map<string, Parsed>> = { html: new Map(), text: new Map() };

/** Parsed sources, the least recently used dropped first: a campaign parses its template once. */
function parsed(source: string, output: Output): Parsed {
  const known = PARSED[output];
  const found = known.get(source) ?? {
    templates: parseLiquid(source, output),
    writes: source.length <= MAX_SUBJECT_LENGTH ? writtenBy(source) : [],
  };
  known.delete(source);
  known.set(source, found);
  if (known.size > MAX_PARSED) known.delete(known.keys().next().value!);
  return found;
}
