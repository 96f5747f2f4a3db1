import * as z from 'zod';
import { byColumn, byName, type ContactText, type ContactTextColumn } from '../domain/contacts/fields.ts';
import { formed, PersonName } from './schemas.ts';

/** The texts of a contact in a record. */
export function shownTexts<C extends ContactTextColumn>(columns: readonly C[]) {
  return byColumn(columns, (_, { meaning, form }) => {
    const said = meaning ?? form?.name;
    return z
      .string()
      .nullable()
      .meta({ description: said ? `${said}; null: not known` : 'null: not known' });
  });
}

/** The texts of a contact in what callers write. `description`: of one that has no form. */
export function writtenTexts<C extends ContactTextColumn>(columns: readonly C[], description: (column: C) => string) {
  return byName(columns, (column, text) => writtenText(text, description(column)));
}

function writtenText({ form }: ContactText, description: string) {
  return form ? formed(form).nullish() : PersonName.nullish().meta({ description });
}
