import { Anchor, JsonInput, Textarea, TextInput } from '@mantine/core';
import { type ChangeEvent, type ComponentProps, type ReactNode, useMemo, useState } from 'react';
import { jsonFault } from '../../frame/json-fault.ts';
import { YesNoSelect } from '../../frame/yes-no-select.tsx';
import { valueAt } from '../../json.ts';
import { capitalized } from '../../letters.ts';
import classes from './data-fields.module.css';
import { ImageSource } from './images/image-source.tsx';
import { ListField } from './list-field.tsx';
import { itemsIn, LONG_TEXT, membersOf } from './list-items.ts';
import type { MailData, TemplateField } from './template-queries.ts';

/** The values of a template's fields while they are edited, as text; by path. */
export type DataDraft = Readonly<Record<string, string>>;

interface Given {
  readonly fields: readonly TemplateField[];
  readonly draft: DataDraft;
  readonly onChange: (draft: DataDraft) => void;
  /** What to say at a field, by its place in the request. */
  readonly errorOf?: (place: string) => string | undefined;
  /** They are for people who have not made the template: called in words, and each with its kind. */
  readonly inWords?: boolean;
}

/** One input for each field that a template takes. */
export function DataFields({ fields, draft, onChange, errorOf, inWords = false }: Given): ReactNode {
  return (
    <div className={classes.fields}>
      {fields.map((field) => (
        <div key={field.path} className={isLong(field) ? classes.long : undefined}>
          <DataFieldInput
            field={field}
            value={draft[field.path] ?? ''}
            error={errorOf?.(placeOf(field))}
            inWords={inWords}
            onChange={(value) => onChange({ ...draft, [field.path]: value })}
          />
        </div>
      ))}
    </div>
  );
}

function DataFieldInput({
  field,
  value,
  error,
  inWords,
  onChange,
}: {
  readonly field: TemplateField;
  readonly value: string;
  readonly error: string | undefined;
  readonly inWords: boolean;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const { path, kind, required = false, used = true, image } = field;
  const sampled = textOf(field.sample);
  const notes = [
    inWords && !image && kind !== 'string' && kind !== 'boolean' ? KINDS[kind] : '',
    required ? 'Required to send' : '',
    used ? '' : 'Not used in its emails so far',
    kind === 'date' ? 'Like 2026-06-12T18:00:00Z' : '',
  ];
  const shared = {
    label: inWords ? fieldWords(path) : path,
    required,
    description: notes.filter(Boolean).join('. ') || undefined,
    error: notOfKind(kind, value) ?? error,
  };
  if (kind === 'boolean') {
    return <YesNoSelect {...shared} clearable placeholder="Not set" value={value} onChange={onChange} />;
  }
  if (isJson(kind)) return <StructureInput sample={field.sample} shared={shared} value={value} onChange={onChange} />;
  const placeholder = inWords && sampled ? `For example ${sampled}` : sampled;
  if (image) {
    const { error: problem, ...words } = shared;
    return (
      <ImageSource
        {...words}
        placeholder={placeholder}
        value={value}
        problem={problem}
        onType={onChange}
        onTake={({ url }) => onChange(url)}
      />
    );
  }
  const typed = {
    ...shared,
    placeholder,
    value,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(event.currentTarget.value),
  };
  return isLong(field) ? <Textarea {...typed} autosize minRows={2} maxRows={10} /> : <TextInput {...typed} />;
}

/** Of names that are words of developers. */
const PLAIN: Readonly<Record<string, string>> = {
  ctaLabel: 'button text',
  ctaText: 'button text',
  ctaUrl: 'button address',
  ctaLink: 'button address',
};

/** The name of a field as people say it: `order.totalAmount` is "Order, total amount". */
export function fieldWords(path: string): string {
  const words = path.split('.').map((part) =>
    (Object.hasOwn(PLAIN, part) ? (PLAIN[part] as string) : part)
      .replaceAll(/[_-]+/g, ' ')
      .replaceAll(/([a-z\d])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
      .trim(),
  );
  return capitalized(words.join(', ')).replaceAll(/\burl\b/gi, 'URL');
}

interface StructureGiven {
  readonly sample: unknown;
  readonly shared: Pick<ComponentProps<typeof ListField>, 'label' | 'required' | 'description' | 'error'>;
  /** JSON. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A list of what its sample shows is edited row by row; every other list and object, and whoever likes, in JSON. */
function StructureInput({ sample, shared, value, onChange }: StructureGiven): ReactNode {
  const members = useMemo(() => membersOf(sample), [sample]);
  const items = members && itemsIn(value, members);
  const [isJson, setIsJson] = useState(!items);
  // It stays JSON while it is typed, also once rows could show it.
  if (!items && !isJson) setIsJson(true);
  const toggle = (words: string): ReactNode => (
    <Anchor component="button" type="button" size="xs" onClick={() => setIsJson(!isJson)}>
      {words}
    </Anchor>
  );
  if (members && items && !isJson) {
    return <ListField {...shared} members={members} items={items} onChange={onChange} action={toggle('Edit as JSON')} />;
  }
  return (
    <div>
      <JsonInput {...shared} autosize minRows={2} maxRows={10} placeholder={textOf(sample)} value={value} onChange={onChange} />
      {items ? toggle('Edit as rows') : null}
    </div>
  );
}

/** Whether it gets a line of its own, with room for more than one. */
function isLong({ kind, sample, image }: TemplateField): boolean {
  return image === true || isJson(kind) || (kind === 'string' && textOf(sample).length > LONG_TEXT);
}

export type DataKind = TemplateField['kind'];

/** The kinds of data, for a choice. */
export const KINDS: Readonly<Record<DataKind, string>> = {
  string: 'Text',
  number: 'Number',
  date: 'Date',
  url: 'Link',
  boolean: 'Yes or no',
  array: 'List',
  object: 'Object',
};

const KIND_WORDS: Readonly<Record<DataKind, string>> = {
  ...{ string: 'text', number: 'number', boolean: 'choice: true or false' },
  ...{ array: 'list in JSON, like ["a", "b"]', object: 'object in JSON, like { "a": 1 }', date: 'date', url: 'link' },
};

function isJson(kind: DataKind): boolean {
  return kind === 'array' || kind === 'object';
}

/** What to tell of a text that is none of a kind; undefined when it is, or is empty. */
export function notOfKind(kind: DataKind, text: string): string | undefined {
  if (text === '' || valueIn(kind, text) !== undefined) return undefined;
  return (isJson(kind) ? jsonFault(text) : undefined) ?? `Enter a valid ${KIND_WORDS[kind]}`;
}

/** Every field with its sample. */
export function samplesOf(fields: readonly TemplateField[]): DataDraft {
  return Object.fromEntries(fields.filter(({ sample }) => sample !== undefined).map(({ path, sample }) => [path, textOf(sample)]));
}

/** A sample as it is typed. */
export function textOf(sample: unknown): string {
  if (sample === undefined || sample === null) return '';
  return typeof sample === 'object' ? JSON.stringify(sample, null, 2) : String(sample);
}

/** What was sent, as it is typed. */
export function draftOfData(fields: readonly TemplateField[], data: object): DataDraft {
  return Object.fromEntries(fields.map(({ path }) => [path, textOf(valueAt(data, path))]).filter(([, text]) => text !== ''));
}

/** What is to be sent. Fields that are empty or not valid are left out. */
export function dataOf(fields: readonly TemplateField[], draft: DataDraft): MailData {
  const data: Record<string, unknown> = {};
  for (const field of fields) {
    const text = draft[field.path] ?? '';
    const value = text === '' ? undefined : valueIn(field.kind, text);
    if (value !== undefined) put(data, field.path.split('.'), value);
  }
  return data as MailData;
}

/** What is missing or wrong, by the place in the request. */
export function dataFaults(fields: readonly TemplateField[], draft: DataDraft): Readonly<Record<string, string | undefined>> {
  const faults = fields.map((field) => {
    const text = draft[field.path] ?? '';
    return [placeOf(field), text === '' && field.required ? 'Enter a value' : notOfKind(field.kind, text)] as const;
  });
  return Object.fromEntries(faults);
}

function placeOf({ path }: TemplateField): string {
  return `data.${path}`;
}

/** The value that a text is; undefined: it is none of that kind. */
export function valueIn(kind: DataKind, text: string): unknown {
  if (kind === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (kind === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  if (!isJson(kind)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) === (kind === 'array') && typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Names are as the template has them: one may be that of a property of every object. */
function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  const before = Object.hasOwn(into, name) ? into[name] : undefined;
  const object = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {};
  Object.defineProperty(into, name, { value: rest.length === 0 ? value : object, enumerable: true, configurable: true, writable: true });
  if (rest.length > 0) put(object as Record<string, unknown>, rest, value);
}
