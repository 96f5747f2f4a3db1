import { useState } from 'react';
import { type ContactTextName, TEXT_NAMES } from '../../../../show/contact-texts.ts';
import { type AttributeDraft, attributeDraftsOf, attributeProblem, changedAttributes } from '../../../contacts/attribute-draft.ts';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import type { FormGiven } from '../config-form.ts';
import { type Fields, fieldProblem } from './contact-field.tsx';

interface ContactUpdate {
  /** What is set, without the attributes. */
  readonly fields: Fields;
  /** undefined: it is left as it is; null: it is emptied. */
  readonly setField: (name: ContactTextName, value: string | null | undefined) => void;
  /** Attributes as they are typed. */
  readonly drafts: readonly AttributeDraft[];
  readonly setAttributes: (drafts: readonly AttributeDraft[]) => void;
}

/** Fields and attributes that a step writes, as they are typed; each change is told with what is wrong. */
export function useContactUpdate({ config, onChange }: FormGiven): ContactUpdate {
  const { set: fields = {} } = config as ConfigOf<'update_contact'>;
  const { attributes } = fields;
  const [drafts, setDrafts] = useState<readonly AttributeDraft[]>(() => attributeDraftsOf(attributes ?? {}));
  const [shown, setShown] = useState(attributes);
  // Undone, or changed otherwise.
  if (attributes !== shown) {
    setShown(attributes);
    setDrafts(attributeDraftsOf(attributes ?? {}));
  }
  const write = (set: Fields, rows = drafts): void => {
    const { set: _, ...rest } = config;
    const wrong = TEXT_NAMES.flatMap((name) => fieldProblem(name, set[name]) ?? []);
    const attributeFault = rows.map((row) => Object.values(attributeProblem(row, rows))[0]).find(Boolean);
    const problems = { set: wrong[0], attributes: attributeFault && `Attributes: ${attributeFault}` };
    onChange({ ...rest, ...(Object.keys(set).length > 0 ? { set } : {}) }, { problems });
  };
  return {
    fields,
    drafts,
    setField(name, value) {
      const { [name]: _, ...others } = fields;
      write(value === undefined ? others : { ...others, [name]: value });
    },
    setAttributes(rows) {
      const { attributes: _, ...others } = fields;
      const made = changedAttributes(rows, {}) as Fields['attributes'];
      const isEmpty = Object.keys(made ?? {}).length === 0;
      setDrafts(rows);
      setShown(isEmpty ? undefined : made);
      write(isEmpty ? others : { ...others, attributes: made }, rows);
    },
  };
}
