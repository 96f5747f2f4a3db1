import type { SendType } from '../send.ts';
import type { Content } from './content.ts';
import type { DataField } from './registry-entry.ts';
import { usedVariables } from './used-variables.ts';
import { isSystemPath } from './variables.ts';

/** What a template wants from `data` and what the renderer fills in by itself. */
export interface TemplateSchema {
  readonly dataSchema: readonly DataField[];
  readonly systemVars: readonly string[];
}

/** The declared fields and what the subject and content use beyond them; marketing mail always has `unsubscribeUrl`. */
export function templateSchema(
  entry: { readonly type: SendType; readonly dataSchema: readonly DataField[] },
  subject: string,
  content: Content,
): TemplateSchema {
  const used = usedVariables(subject, content);
  const system = used.map(({ path }) => path).filter(isSystemPath);
  const undeclared = used.filter(({ path }) => !isSystemPath(path) && !entry.dataSchema.some((field) => covers(field.path, path)));
  return {
    dataSchema: [...entry.dataSchema, ...undeclared],
    systemVars: [...new Set(entry.type === 'marketing' ? [...system, 'unsubscribeUrl'] : system)],
  };
}

/** A declared object or array stands for all that is in it, and a declared field for the object that it is in. */
function covers(declared: string, used: string): boolean {
  return declared === used || used.startsWith(`${declared}.`) || declared.startsWith(`${used}.`);
}
