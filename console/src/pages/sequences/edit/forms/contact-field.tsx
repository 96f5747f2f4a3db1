import { ActionIcon, Autocomplete, Group, TextInput, Tooltip } from '@mantine/core';
import { IconEraser, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { LONGEST_NAME } from '../../../../api/limits.ts';
import { CONTACT_TEXTS, type ContactTextName } from '../../../../show/contact-texts.ts';
import { TIME_ZONES } from '../../../../show/time-zones.ts';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import classes from '../../sequences.module.css';

export type Fields = NonNullable<ConfigOf<'update_contact'>['set']>;

const MOST_OFFERED = 40;

interface Given {
  readonly name: ContactTextName;
  /** null: is emptied. */
  readonly value: string | null;
  readonly isNew: boolean;
  /** undefined: is left as it is. */
  readonly onChange: (value: string | null | undefined) => void;
}

/** One field that a step writes: its value, that it is emptied, or that it is left as it is. */
export function ContactField({ name, value, isNew, onChange }: Given): ReactNode {
  const { label, placeholder } = CONTACT_TEXTS[name];
  const input = {
    label,
    size: 'xs' as const,
    flex: 1,
    autoFocus: isNew,
    disabled: value === null,
    placeholder: value === null ? 'Cleared' : placeholder,
    value: value ?? '',
    error: value === '' ? undefined : fieldProblem(name, value),
  };
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      {name === 'timezone' ? (
        <Autocomplete {...input} data={TIME_ZONES} limit={MOST_OFFERED} onChange={onChange} />
      ) : (
        <TextInput {...input} maxLength={LONGEST_NAME} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
      <Group gap={2} wrap="nowrap" className={classes.besideField}>
        <Tooltip label={value === null ? 'Set a value' : 'Clear it'}>
          <ActionIcon
            size={30}
            aria-label={`Empty ${label}`}
            aria-pressed={value === null}
            onClick={() => onChange(value === null ? '' : null)}
          >
            <IconEraser size={15} />
          </ActionIcon>
        </Tooltip>
        <ActionIcon size={30} aria-label={`Do not change ${label}`} onClick={() => onChange(undefined)}>
          <IconTrash size={15} />
        </ActionIcon>
      </Group>
    </Group>
  );
}

/** What is wrong with a value, in words. Of Liquid nothing can be said before it is rendered. */
export function fieldProblem(name: ContactTextName, value: string | null | undefined): string | undefined {
  if (value === null || value === undefined || /\{\{|\{%/.test(value)) return undefined;
  return CONTACT_TEXTS[name].problemOf?.(value);
}
