import { ActionIcon, Autocomplete, Button, Group, Menu, Stack, Switch, TagsInput, Text, TextInput, Tooltip } from '@mantine/core';
import { IconEraser, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import { isObject } from '../../../json.ts';
import { TIME_ZONES } from '../../../show/time-zones.ts';
import { attributeDraftsOf, attributeProblem, changedAttributes } from '../../contacts/attribute-draft.ts';
import { AttributesEditor } from '../../contacts/attributes-editor.tsx';
import type { ConfigOf } from '../graph/node-words.ts';
import classes from '../sequences.module.css';
import type { FormGiven } from './config-form.ts';

type Fields = NonNullable<ConfigOf<'update_contact'>['set']>;
type FieldName = Exclude<keyof Fields, 'attributes'>;

const FIELDS: Readonly<Record<FieldName, string>> = {
  firstName: 'First name',
  lastName: 'Last name',
  displayName: 'Display name',
  timezone: 'Time zone',
  locale: 'Language',
};
const NAMES = Object.keys(FIELDS) as FieldName[];
const MOST_OFFERED = 40;

/** What a step writes to the contact who comes to it. */
export function UpdateContactForm({ config, onChange }: FormGiven): ReactNode {
  const { addTags = [], removeTags = [], set = {}, status } = config as ConfigOf<'update_contact'>;
  const { attributes } = set;
  const [drafts, setDrafts] = useState(() => attributeDraftsOf(attributes ?? {}));
  const [shown, setShown] = useState(attributes);
  const { tags } = useVocabulary();
  /** The field that was just added takes the focus. */
  const [added, setAdded] = useState<FieldName>();
  // Undone, or changed otherwise.
  if (attributes !== shown) {
    setShown(attributes);
    setDrafts(attributeDraftsOf(attributes ?? {}));
  }
  const write = (fields: Fields, rows = drafts): void => {
    const { set: _, ...rest } = config;
    const wrong = NAMES.flatMap((name) => fieldProblem(name, fields[name]) ?? []);
    const attributeFault = rows.map((row) => Object.values(attributeProblem(row, rows))[0]).find(Boolean);
    const problems = { set: wrong[0], attributes: attributeFault && `Attributes: ${attributeFault}` };
    onChange({ ...rest, ...(Object.keys(fields).length > 0 ? { set: fields } : {}) }, { problems });
  };
  const setField = (name: FieldName, value: string | null | undefined): void => {
    const { [name]: _, ...others } = set;
    write(value === undefined ? others : { ...others, [name]: value });
  };
  const setAttributes = (rows: readonly (typeof drafts)[number][]): void => {
    const { attributes: _, ...others } = set;
    const made = changedAttributes(rows, {}) as Fields['attributes'];
    const isEmpty = Object.keys(made ?? {}).length === 0;
    setDrafts([...rows]);
    setShown(isEmpty ? undefined : made);
    write(isEmpty ? others : { ...others, attributes: made }, [...rows]);
  };
  const open = NAMES.filter((name) => set[name] === undefined);
  const known = { size: 'xs', acceptValueOnBlur: true, data: [...tags], limit: MOST_OFFERED } as const;
  return (
    <Stack gap="sm">
      <TagsInput label="Add tags" {...known} value={addTags} onChange={(chosen) => onChange({ ...config, addTags: chosen })} />
      <TagsInput label="Remove tags" {...known} value={removeTags} onChange={(chosen) => onChange({ ...config, removeTags: chosen })} />
      {NAMES.filter((name) => set[name] !== undefined).map((name) => (
        <Field key={name} name={name} value={set[name] ?? null} isNew={name === added} onChange={(value) => setField(name, value)} />
      ))}
      <Group gap="xs">
        <Menu position="bottom-start" width={170} returnFocus={false}>
          <Menu.Target>
            <Button variant="default" leftSection={<IconPlus size={14} />} disabled={open.length === 0}>
              Set a field
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {open.map((name) => (
              <Menu.Item
                key={name}
                onClick={() => {
                  setAdded(name);
                  setField(name, '');
                }}
              >
                {FIELDS[name]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Stack gap={4} role="group" aria-label="Attributes">
        <Text size="xs" fw={500}>
          Attributes
        </Text>
        <AttributesEditor attributes={drafts} onChange={setAttributes} />
      </Stack>
      <Switch
        size="xs"
        label="Unsubscribe"
        description="No marketing mail from then on; the run goes on without it"
        checked={status === 'unsubscribed'}
        onChange={({ currentTarget: { checked } }) => {
          const { status: _, ...rest } = config;
          onChange(checked ? { ...rest, status: 'unsubscribed' } : rest);
        }}
      />
      <Text size="xs" c="dimmed">
        Texts may hold Liquid, like {'{{ event.city }}'}. An attribute whose JSON is null is taken away.
      </Text>
    </Stack>
  );
}

interface FieldGiven {
  readonly name: FieldName;
  /** null: is emptied. */
  readonly value: string | null;
  readonly isNew: boolean;
  /** undefined: is left as it is. */
  readonly onChange: (value: string | null | undefined) => void;
}

function Field({ name, value, isNew, onChange }: FieldGiven): ReactNode {
  const label = FIELDS[name];
  const input = {
    label,
    size: 'xs' as const,
    flex: 1,
    autoFocus: isNew,
    disabled: value === null,
    placeholder: value === null ? 'Is emptied' : name === 'timezone' ? 'Europe/Berlin' : name === 'locale' ? 'de-CH' : undefined,
    value: value ?? '',
    error: value === '' ? undefined : fieldProblem(name, value),
  };
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      {name === 'timezone' ? (
        <Autocomplete {...input} data={TIME_ZONES} limit={MOST_OFFERED} onChange={onChange} />
      ) : (
        <TextInput {...input} maxLength={200} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
      <Group gap={2} wrap="nowrap" className={classes.besideField}>
        <Tooltip label={value === null ? 'Write a value' : 'Empty it'}>
          <ActionIcon
            size={30}
            aria-label={`Empty ${label}`}
            aria-pressed={value === null}
            onClick={() => onChange(value === null ? '' : null)}
          >
            <IconEraser size={15} />
          </ActionIcon>
        </Tooltip>
        <ActionIcon size={30} aria-label={`Leave ${label} as it is`} onClick={() => onChange(undefined)}>
          <IconTrash size={15} />
        </ActionIcon>
      </Group>
    </Group>
  );
}

/** What is wrong with a value, in words. Of Liquid nothing can be said before it is rendered. */
function fieldProblem(name: FieldName, value: string | null | undefined): string | undefined {
  if (value === null || value === undefined || /\{\{|\{%/.test(value)) return undefined;
  if (name === 'timezone' && !isMadeBy(() => new Intl.DateTimeFormat('en', { timeZone: value || '-' }))) {
    return 'Not a time zone; one is like Europe/Berlin';
  }
  if (name === 'locale' && !isMadeBy(() => new Intl.Locale(value))) return 'Not a language; one is like en or de-CH';
  return undefined;
}

function isMadeBy(make: () => unknown): boolean {
  try {
    return Boolean(make());
  } catch {
    return false;
  }
}

/** Whether the form shows all that is set. */
export function fitsUpdate({ set, addTags, removeTags, status }: FormGiven['config']): boolean {
  const isTexts = (value: unknown): boolean =>
    value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  if (!isTexts(addTags) || !isTexts(removeTags) || (status !== undefined && status !== 'unsubscribed')) return false;
  if (set === undefined) return true;
  if (!isObject(set)) return false;
  return Object.entries(set).every(([name, value]) =>
    name === 'attributes' ? value === undefined || isObject(value) : name in FIELDS && (value === null || typeof value === 'string'),
  );
}
