import { z } from 'zod';
import { issuesOf } from '../domain/issues.ts';
import type { SettingRule } from './setting-rules.ts';

/** Reads JSON; what is wrong is said by its place and without its value, which may hold a password. */
export function jsonOf<T>(schema: z.ZodType<T>, example: string): SettingRule<T> {
  return z.string().transform((text, context): T => {
    const value = parsed(text);
    const { success, data, error } = schema.safeParse(value);
    if (success) return data;
    const [{ path, message } = { path: '', message: '' }] = issuesOf(error);
    const wrong = value === undefined ? 'it is no JSON' : [path, message].filter(Boolean).join(': ');
    context.issues.push({ code: 'custom', input: '', message: `JSON like ${example}; ${wrong}` });
    return z.NEVER;
  });
}

/** undefined: no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
