import { type DataKind, notOfKind, textOf, valueIn } from './data-fields.tsx';
import type { TemplateSchema } from './template-queries.ts';

/** A variable of a template while it is declared, as typed. */
export interface VariableDraft {
  readonly id: string;
  readonly path: string;
  readonly kind: DataKind;
  readonly required: boolean;
  /** '' for none. */
  readonly sample: string;
}

type Declared = TemplateSchema['declared'][number];

/** As the API takes them. */
export const MOST_VARIABLES = 100;

let ids = 0;

export function newVariable(path = ''): VariableDraft {
  ids += 1;
  return { id: `variable-${ids}`, path, kind: 'string', required: false, sample: '' };
}

/** What is declared, to be edited. */
export function draftsOf(fields: readonly Declared[]): VariableDraft[] {
  return fields.map(({ path, kind, required = false, sample }) => ({ ...newVariable(path), kind, required, sample: textOf(sample) }));
}

/** What is missing or wrong, by the place in the request: each needs a path, and a sample of its kind or none. */
export function variableFaults(variables: readonly VariableDraft[]): Readonly<Record<string, string | undefined>> {
  const faults = variables.flatMap(({ path, kind, sample }, index) => [
    [`dataSchema[${index}].path`, path.trim() ? undefined : 'Enter a path'] as const,
    [`dataSchema[${index}].sample`, notOfKind(kind, sample)] as const,
  ]);
  return Object.fromEntries(faults);
}

/** What is to be sent, in the same order. A sample that is none of its kind is left out. */
export function declared(variables: readonly VariableDraft[]): Declared[] {
  return variables.map(({ path, kind, required, sample }) => {
    const value = sample === '' ? undefined : valueIn(kind, sample);
    return {
      ...{ path: path.trim(), kind },
      ...(required ? { required } : {}),
      ...(value === undefined ? {} : { sample: value as NonNullable<Declared['sample']> }),
    };
  });
}
