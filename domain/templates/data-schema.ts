import * as z from 'zod';
import type { SendType } from '../sends/send.ts';
import type { Content } from './content.ts';
import { contentStrings } from './content-strings.ts';
import { DataField } from './registry-entry.ts';
import { usedVariables } from './used-variables.ts';
import { isSystemPath } from './variables.ts';

/** A field of `data` as the schema route tells it. */
export const DescribedField = DataField.extend({
  used: z
    .literal(false)
    .optional()
    .meta({ description: 'false: declared, and neither the published content nor the subject uses it; absent from fields that are used' }),
  image: z.literal(true).optional().meta({ description: 'true: an image block shows the picture at this address; absent from all others' }),
}).meta({ id: 'TemplateField', description: 'One variable that the template expects in data' });
export type DescribedField = z.infer<typeof DescribedField>;

/** What a template wants from `data` and what the renderer fills in by itself. */
export interface TemplateSchema {
  readonly dataSchema: readonly DescribedField[];
  readonly systemVars: readonly string[];
}

/** The declared fields, marked where nothing uses them, and what the subject and content use beyond them; marketing mail always has `unsubscribeUrl`. */
export function templateSchema(
  entry: { readonly type: SendType; readonly dataSchema: readonly DataField[] },
  subject: string,
  content: Content,
): TemplateSchema {
  const used = usedVariables(subject, content);
  const system = used.map(({ path }) => path).filter(isSystemPath);
  const declared = entry.dataSchema.map<DescribedField>((field) =>
    used.some(({ path }) => covers(field.path, path)) ? field : { ...field, used: false },
  );
  const pictures = picturePaths(content);
  const undeclared = used.filter(({ path }) => !isSystemPath(path) && !entry.dataSchema.some((field) => covers(field.path, path)));
  return {
    dataSchema: [...declared, ...undeclared].map((field) => (pictures.has(field.path) ? { ...field, image: true } : field)),
    systemVars: [...new Set(entry.type === 'marketing' ? [...system, 'unsubscribeUrl'] : system)],
  };
}

/** One variable and nothing else, unless there is none: what is only a part of an address is no address. */
const ONE_VARIABLE = /^\s*\{\{-?\s*([\w.-]+?)\s*(?:\|\s*default\b[^{}]*)?-?\}\}\s*$/;

/** Variables that are the address of a picture. */
function picturePaths(content: Content): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { source, role } of contentStrings(content, 'content')) {
    const [, path] = (role === 'picture' && ONE_VARIABLE.exec(source)) || [];
    if (path !== undefined) found.add(path);
  }
  return found;
}

/** A declared object or array stands for all that is in it, and a declared field for the object that it is in. */
function covers(declared: string, used: string): boolean {
  return declared === used || used.startsWith(`${declared}.`) || declared.startsWith(`${used}.`);
}
