import { type DataKind, valueIn } from './data-fields.tsx';
import type { NewTemplateInput } from './template-queries.ts';

/** A variable of a template while it is declared, as typed. */
export interface VariableDraft {
  readonly id: string;
  readonly path: string;
  readonly kind: DataKind;
  readonly required: boolean;
  /** '' for none. */
  readonly sample: string;
}

type Declared = NonNullable<NewTemplateInput['dataSchema']>[number];

/** As the API takes them. */
export const MOST_VARIABLES = 100;

let ids = 0;

export function newVariable(): VariableDraft {
  ids += 1;
  return { id: `variable-${ids}`, path: '', kind: 'string', required: false, sample: '' };
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
