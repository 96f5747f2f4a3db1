import { CONTACT_TEXT_COLUMNS, type ContactTextColumn } from './fields.ts';

/** What a cell of a text column may be made of. */
export const CELL_TYPES = ['text', 'number', 'boolean'] as const;
export type CellType = (typeof CELL_TYPES)[number];

/** The fields of a contact that a column may be, beside attributes and topics. */
export const IMPORT_FIELDS = [
  'email',
  ...CONTACT_TEXT_COLUMNS,
  'status',
  'suppressed',
  'source',
  'tags',
  'consent.source',
  'consent.ip',
  'consent.user_agent',
  'consent.at',
] as const;

type NamedField = (typeof IMPORT_FIELDS)[number];

/** What a column of the file is. */
export type ColumnField =
  | { readonly kind: Exclude<NamedField, ContactTextColumn> }
  | { readonly kind: 'text'; readonly column: ContactTextColumn }
  | { readonly kind: 'attribute'; readonly name: string; readonly type: CellType }
  | { readonly kind: 'topic'; readonly key: string };

/** A column as the file has it; without a field it is read by nobody. */
export interface ImportColumn {
  readonly name: string;
  readonly field: ColumnField | null;
}

const ATTRIBUTE = 'attributes.';
const TOPIC = 'topics.';

/** The field that a mapping names, like `first_name`, `attributes.city` or `topics.news`; undefined: there is none of this name. */
export function columnField(text: string, type: CellType = 'text'): ColumnField | undefined {
  if (text.startsWith(ATTRIBUTE)) {
    const name = text.slice(ATTRIBUTE.length);
    return name === '' || name === '__proto__' ? undefined : { kind: 'attribute', name, type };
  }
  if (text.startsWith(TOPIC)) return text.length > TOPIC.length ? { kind: 'topic', key: text.slice(TOPIC.length) } : undefined;
  const named = IMPORT_FIELDS.find((field) => field === text);
  if (named === undefined) return undefined;
  return isText(named) ? { kind: 'text', column: named } : { kind: named };
}

/** The field of a column that nothing is said of: that which its name is, without regard to case, spaces and hyphens, as in an export. */
export function fieldOfName(name: string): ColumnField | undefined {
  const exact = columnField(name.trim());
  if (exact) return exact;
  const lower = name.trim().toLowerCase();
  // What an attribute is called is as it is written.
  if (lower.startsWith(ATTRIBUTE)) return columnField(ATTRIBUTE + name.trim().slice(ATTRIBUTE.length));
  if (lower.startsWith(TOPIC)) return columnField(lower);
  const text = lower.replace(/[\s-]+/g, '_');
  return IMPORT_FIELDS.some((field) => field === text) ? columnField(text) : undefined;
}

/** As a mapping names it, which tells two fields apart. */
export function fieldText(field: ColumnField): string {
  switch (field.kind) {
    case 'text':
      return field.column;
    case 'attribute':
      return ATTRIBUTE + field.name;
    case 'topic':
      return TOPIC + field.key;
    default:
      return field.kind;
  }
}

function isText(field: NamedField): field is ContactTextColumn {
  return (CONTACT_TEXT_COLUMNS as readonly string[]).includes(field);
}
