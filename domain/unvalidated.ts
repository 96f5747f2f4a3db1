import * as z from 'zod';

/** A part of an answer that was valid under this schema when it was stored. It is answered as it is; the documentation shows the schema by its id. */
export function unvalidated<S extends z.ZodType>(schema: S): z.ZodType<z.output<S>> {
  const { id } = z.globalRegistry.get(schema) ?? {};
  if (id === undefined) throw new Error('only a schema with an id has a name in the documentation');
  return z
    .unknown()
    .nonoptional()
    .meta({ $ref: `#/components/schemas/${id}` }) as unknown as z.ZodType<z.output<S>>;
}
