import * as z from 'zod';

const REF = { $ref: '#/components/schemas/JsonValue' };

/** Whatever JSON can hold. Its form is said for the documentation only: nothing is read by recursion. */
export const JsonValue = z.unknown().meta({
  id: 'JsonValue',
  description: 'Any JSON value',
  anyOf: [
    { type: 'null' },
    { type: 'boolean' },
    { type: 'number' },
    { type: 'string' },
    // Not REF: as a type of TypeScript an interface's member cannot be an array of itself.
    { type: 'array', items: {} },
    { type: 'object', additionalProperties: REF },
  ],
});
