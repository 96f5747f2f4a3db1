import { createHash } from 'node:crypto';
import type { CompiledContent } from '../../domain/templates/compiled-content.ts';
import type { Content } from '../../domain/templates/content.ts';
import type { Config } from '../../platform/config.ts';
import { type KeptFile, keptFile } from '../../platform/kept-files.ts';
import type { Logger } from '../../platform/logger.ts';
import { createAuthoring } from './authoring.ts';
import { loadTemplateRegistry, type TemplateRegistry } from './template-registry.ts';

/** All that compiling depends on beside the content. */
const SOURCES = ['domain', 'package-lock.json'];

/**
 * The registry, compiled in a thread whose memory is given back: what compiles takes a hundred megabytes, and a second of a core. What it
 * made is kept, so that only content that is new is compiled at the next start.
 */
export async function compileRegistry(
  { templatesDir }: Pick<Config, 'templatesDir'>,
  log: Pick<Logger, 'error'>,
  kept?: KeptFile,
): Promise<TemplateRegistry> {
  const file = kept ?? (await keptFile('templates', 'json', SOURCES));
  const known = readKept(await file.read());
  const used = new Map<string, CompiledContent>();
  const authoring = createAuthoring({ log });
  try {
    const registry = await loadTemplateRegistry(templatesDir, async (content, locale) => {
      const name = nameOf(content, locale);
      const compiled = known.get(name);
      const made = compiled ? { compiled } : await authoring.compile(content, undefined, locale);
      if ('compiled' in made) used.set(name, made.compiled);
      return made;
    });
    if ([...used.keys()].some((name) => !known.has(name))) await file.keep(JSON.stringify(Object.fromEntries(used)));
    return registry;
  } finally {
    await authoring.close();
  }
}

function nameOf(content: Content, locale: string | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([content, locale]))
    .digest('hex');
}

/** What is not whole is made again. */
function readKept(text = '{}'): ReadonlyMap<string, CompiledContent> {
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, CompiledContent>));
  } catch {
    return new Map();
  }
}
