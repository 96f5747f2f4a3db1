import type { SendType } from '../sends/send.ts';
import { MAX_SUBJECT_LENGTH } from '../text-lengths.ts';
import type { CompiledContent } from './compiled-content.ts';
import { createContext, LiquidFault, runLiquid } from './liquid.ts';
import type { CountedLinks } from './mail-context.ts';
import { type MailProgram, parseProgram, type SubjectProgram, subjectProgram } from './program.ts';
import { lackingMessage, lackingPaths } from './required-data.ts';

export interface RenderInput {
  /** Liquid. */
  readonly subject: string;
  /** From `mailVariables`. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly type: SendType;
  /** From `requiredPaths`. */
  readonly required?: readonly string[];
  /** For a mail whose opens and clicks are counted. */
  readonly links?: CountedLinks | undefined;
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

const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

const parsed = new WeakMap<CompiledContent, MailProgram>();

/** Renders one mail for one recipient; only Liquid runs. Throws RenderFailed. */
export function renderMail(compiled: CompiledContent, input: RenderInput): RenderedMail {
  return failing(() => {
    const program = parsed.get(compiled) ?? parseProgram(compiled);
    parsed.set(compiled, program);
    return renderProgram(program, input);
  });
}

/** The same for compiled content that was parsed before. Throws RenderFailed and LiquidFault. */
export function renderProgram(program: MailProgram, input: RenderInput): RenderedMail {
  const { subject, subjectProgram, variables } = beginMail(input);
  const html = runLiquid(program.html, variables, 'html', input.links);
  const text = collapseBlankLines(runLiquid(program.text, variables, 'text')).trimStart();
  return { subject, html, text, missing: missingPaths(program, subjectProgram, variables) };
}

/** The subject, rendered, and the variables for what comes after it. Throws RenderFailed and LiquidFault. */
export function beginMail({ subject: source, variables, type, required = [] }: RenderInput): {
  readonly subject: string;
  readonly subjectProgram: SubjectProgram;
  readonly variables: Readonly<Record<string, unknown>>;
} {
  if (type === 'marketing' && !variables.unsubscribeUrl) throw new RenderFailed('marketing email needs an unsubscribe link');
  const lacking = lackingPaths(required, variables);
  if (lacking.length > 0) throw new RenderFailed(lackingMessage(lacking));
  const program = subjectProgram(source);
  const text = program.templates ? runLiquid(program.templates, variables, 'text') : source;
  const subject = text.replace(LINE_BREAKS_AND_CONTROLS, ' ').trim();
  if (subject.length > MAX_SUBJECT_LENGTH) throw new RenderFailed(`the subject is longer than ${MAX_SUBJECT_LENGTH} characters`);
  return { subject, subjectProgram: program, variables: { ...variables, subject } };
}

/** Paths that the mail shows without a default and the variables lack. */
export function missingPaths({ writes }: MailProgram, subject: SubjectProgram, variables: object): string[] {
  const lacking = [...subject.writes, ...writes].filter(({ read }) => (read(variables) ?? null) === null);
  if (lacking.length === 0) return [];
  const context = createContext(variables, 'text');
  return [...new Set(lacking.filter(({ isShown }) => isShown.every((holds) => holds(context))).map(({ path }) => path))];
}

/** The text part has at most one blank line in a row, and no white space at its start. */
export function collapseBlankLines(text: string): string {
  return text.includes('\n') ? text.replace(/\n(?:[ \t]*\n){2,}/g, '\n\n') : text;
}

/** Liquid that fails makes a mail that cannot be rendered. */
export function failing<T>(render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (error instanceof LiquidFault) throw new RenderFailed(error.message);
    throw error;
  }
}
