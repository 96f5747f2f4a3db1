import type { ReadyConfig } from '../../platform/config.ts';
import type { Logger } from '../../platform/logger.ts';
import { loadTemplateRegistry, type TemplateRegistry } from '../../platform/template-registry.ts';
import { createAuthoring } from './authoring.ts';

/** The registry, compiled in a thread whose memory is given back: what compiles takes a hundred megabytes. */
export async function compileRegistry(config: ReadyConfig, log: Logger): Promise<TemplateRegistry> {
  const authoring = createAuthoring({ log });
  try {
    return await loadTemplateRegistry(config.templatesDir, authoring.compile);
  } finally {
    await authoring.close();
  }
}
