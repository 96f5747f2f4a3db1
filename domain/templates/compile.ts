import type { Issue } from '../errors.ts';
import type { CompileOptions } from './compile-html.ts';
import { compileText } from './compile-text.ts';
import { COMPILED_FORMAT, type CompiledContent } from './compiled-content.ts';
import { type BlockContent, type Content, isMjml } from './content.ts';
import { LiquidFault } from './liquid.ts';
import { writtenPaths } from './used-variables.ts';

/**
 * Compiles content that `parseContent` accepted. Takes some 20 ms; throws LiquidFault when the content was never checked.
 */
export async function compileContent(content: Content, options: CompileOptions = {}): Promise<CompiledContent> {
  if (!isMjml(content)) return compileBlocks(content, options);
  const made = await compileWritten(content, options);
  if ('issues' in made) throw new LiquidFault(made.issues[0]?.message ?? 'cannot be compiled');
  return made.compiled;
}

/** The same, with what only compiling finds wrong, of MJML, as issues. */
export async function compileWritten(
  content: Content,
  options: CompileOptions = {},
): Promise<{ readonly compiled: CompiledContent } | { readonly issues: readonly Issue[] }> {
  if (!isMjml(content)) return { compiled: await compileBlocks(content, options) };
  const { compileMjml } = await import('./compile-mjml.ts');
  return compileMjml(content.mjml, options.locale);
}

async function compileBlocks(content: BlockContent, options: CompileOptions): Promise<CompiledContent> {
  const { locale } = options;
  // What it needs takes a hundred megabytes, which only those have who compile.
  const { compileHtml } = await import('./compile-html.ts');
  return {
    format: COMPILED_FORMAT,
    ...(locale === undefined ? {} : { locale }),
    html: await compileHtml(content, options),
    text: compileText(content, locale),
    writes: writtenPaths(content),
  };
}
