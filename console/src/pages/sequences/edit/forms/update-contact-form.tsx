import { Button, Group, Menu, Stack, Switch, TagsInput, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useVocabulary } from '../../../../frame/vocabulary.ts';
import { isObject } from '../../../../json.ts';
import { CONTACT_TEXTS, type ContactTextName, TEXT_NAMES } from '../../../../show/contact-texts.ts';
import { AttributesEditor } from '../../../contacts/attributes-editor.tsx';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import type { FormGiven } from '../config-form.ts';
import { ContactField } from './contact-field.tsx';
import { useContactUpdate } from './use-contact-update.ts';

const MOST_OFFERED = 40;

/** What a step writes to the contact who comes to it. */
export function UpdateContactForm({ config, onChange }: FormGiven): ReactNode {
  const { addTags = [], removeTags = [], status } = config as ConfigOf<'update_contact'>;
  const { fields, drafts, setField, setAttributes } = useContactUpdate({ config, onChange });
  const { tags } = useVocabulary();
  /** The field that was just added takes the focus. */
  const [added, setAdded] = useState<ContactTextName>();
  const known = { size: 'xs', acceptValueOnBlur: true, data: [...tags], limit: MOST_OFFERED } as const;
  return (
    <Stack gap="sm">
      <TagsInput label="Add tags" {...known} value={addTags} onChange={(chosen) => onChange({ ...config, addTags: chosen })} />
      <TagsInput label="Remove tags" {...known} value={removeTags} onChange={(chosen) => onChange({ ...config, removeTags: chosen })} />
      {TEXT_NAMES.filter((name) => fields[name] !== undefined).map((name) => (
        <ContactField
          key={name}
          name={name}
          value={fields[name] ?? null}
          isNew={name === added}
          onChange={(value) => setField(name, value)}
        />
      ))}
      <FieldMenu
        open={TEXT_NAMES.filter((name) => fields[name] === undefined)}
        onChoose={(name) => {
          setAdded(name);
          setField(name, '');
        }}
      />
      <Stack gap={4} role="group" aria-label="Attributes">
        <Text size="xs" fw={500}>
          Attributes
        </Text>
        <AttributesEditor attributes={drafts} onChange={setAttributes} />
      </Stack>
      <Switch
        size="xs"
        label="Unsubscribe"
        description="No more marketing email. The run continues without it"
        checked={status === 'unsubscribed'}
        onChange={({ currentTarget: { checked } }) => {
          const { status: _, ...rest } = config;
          onChange(checked ? { ...rest, status: 'unsubscribed' } : rest);
        }}
      />
      <Text size="xs" c="dimmed">
        Text can use Liquid such as {'{{ event.city }}'}. An attribute set to JSON null is removed.
      </Text>
    </Stack>
  );
}

interface MenuGiven {
  /** The fields that are not set yet. */
  readonly open: readonly ContactTextName[];
  readonly onChoose: (name: ContactTextName) => void;
}

function FieldMenu({ open, onChoose }: MenuGiven): ReactNode {
  return (
    <Group gap="xs">
      <Menu position="bottom-start" width={170} returnFocus={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconPlus size={14} />} disabled={open.length === 0}>
            Set a field
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {open.map((name) => (
            <Menu.Item key={name} onClick={() => onChoose(name)}>
              {CONTACT_TEXTS[name].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

/** Whether the form shows all that is set. */
export function fitsUpdate({ set, addTags, removeTags, status }: FormGiven['config']): boolean {
  const isTexts = (value: unknown): boolean =>
    value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  if (!isTexts(addTags) || !isTexts(removeTags) || (status !== undefined && status !== 'unsubscribed')) return false;
  if (set === undefined) return true;
  if (!isObject(set)) return false;
  return Object.entries(set).every(([name, value]) =>
    name === 'attributes' ? value === undefined || isObject(value) : name in CONTACT_TEXTS && (value === null || typeof value === 'string'),
  );
}
