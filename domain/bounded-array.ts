import * as z from 'zod';
import { MAX_ISSUES } from './errors.ts';

type Definition = z.core.$ZodArrayDef & { readonly most: number };

const Unbounded: z.core.$constructor<z.ZodArray> = z.ZodArray;

/** zod looks at a leading maximum before the elements; this also stops at the element with which enough is known to be wrong. */
const BoundedArray: z.core.$constructor<z.ZodArray, Definition> = z.core.$constructor('BoundedArray', (schema, definition) => {
  Unbounded.init(schema, definition as never);
  const parseAll = schema._zod.parse;
  schema._zod.parse = (payload, context) => {
    const { value } = payload;
    const isToRefuse = !Array.isArray(value) || value.length > definition.most;
    if (isToRefuse || context.direction === 'backward') return parseAll(payload, context);
    const parsed: unknown[] = [];
    for (const [index, element] of value.entries()) {
      const result = definition.element._zod.run({ value: element, issues: [] }, context);
      if (result instanceof Promise) throw new z.core.$ZodAsyncError();
      parsed.push(result.value);
      payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
      if (payload.issues.length >= MAX_ISSUES) break;
    }
    payload.value = parsed;
    return payload;
  };
  const check = schema._zod.run;
  // zod would also say what is wrong with the length of a text.
  if (definition.checks?.length)
    schema._zod.run = (payload, context) => (Array.isArray(payload.value) ? check(payload, context) : parseAll(payload, context));
});

/**
 * An array of at most `most` elements, with a message of its own where the usual one would not do. The length is looked at before any
 * element is, and no more than about MAX_ISSUES problems are collected, however many there are.
 */
export function boundedArray<T extends z.core.SomeType>(
  element: T,
  most: number,
  params?: string | z.core.$ZodCheckMaxLengthParams,
): z.ZodArray<T> {
  return (new BoundedArray({ type: 'array', element: element as never, most }) as unknown as z.ZodArray<T>).max(most, params);
}
