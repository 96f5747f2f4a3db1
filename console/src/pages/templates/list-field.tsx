import { ActionIcon, Box, Button, Group, Input, Textarea, TextInput, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { YesNoSelect } from '../../frame/yes-no-select.tsx';
import classes from './data-fields.module.css';
import { type Item, jsonOfItems, type Member, memberText, newItem, withMember } from './list-items.ts';

interface Given {
  readonly label: string;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly error: string | undefined;
  readonly members: readonly Member[];
  readonly items: readonly Item[];
  /** As JSON; '' when there are none. */
  readonly onChange: (json: string) => void;
  /** Beside the label. */
  readonly action: ReactNode;
}

/** A list as rows: each is changed in its place, moved, and removed. */
export function ListField({ label, required, description, error, members, items, onChange, action }: Given): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  const set = (changed: readonly Item[]): void => onChange(jsonOfItems(changed));
  /** What is changed and told, with the focus where it goes on. */
  const change = (changed: readonly Item[], words: string, selector: string): void => {
    flushSync(() => {
      set(changed);
      setSaid(words);
    });
    list.current?.querySelector<HTMLElement>(selector)?.focus();
  };
  const move = (index: number, by: -1 | 1): void => {
    const item = items[index] as Item;
    const to = index + by;
    // At the end of its way a button is disabled: the one beside it has the focus then.
    const isAtEnd = to === (by < 0 ? 0 : items.length - 1);
    const words = `Row ${index + 1} is at place ${to + 1} of ${items.length}`;
    change(items.toSpliced(index, 1).toSpliced(to, 0, item), words, `[data-row="${to}"] [data-move="${isAtEnd ? -by : by}"]`);
  };
  const add = (): void => {
    const row = `[data-row="${items.length}"]`;
    change([...items, newItem(members)], `Row ${items.length + 1} is added`, `${row} input, ${row} textarea`);
  };
  const remove = (index: number): void => {
    const next = Math.min(index, items.length - 2);
    const selector = next < 0 ? '[data-add]' : `[data-row="${next}"] [data-remove]`;
    change(items.toSpliced(index, 1), `Row ${index + 1} is removed`, selector);
  };
  return (
    <Box role="group" aria-label={label} ref={list} className={classes.list}>
      <Group justify="space-between" gap="xs">
        <Input.Label component="div" required={required}>
          {label}
        </Input.Label>
        {action}
      </Group>
      {description ? <Input.Description>{description}</Input.Description> : null}
      {items.map((item, index) => (
        <Box
          key={index}
          role="group"
          aria-label={`${label}, row ${index + 1}`}
          className={classes.row}
          data-row={index}
          data-of-several={members.length > 1 || undefined}
        >
          <div className={classes.members}>
            {members.map((member) => (
              <MemberInput
                key={member.name}
                member={member}
                label={member.name ? undefined : `${label}, row ${index + 1}`}
                value={memberText(item, member)}
                onChange={(text) => set(items.with(index, withMember(item, member, text)))}
              />
            ))}
          </div>
          <Group gap={0} wrap="nowrap" className={classes.rowActions}>
            <ActionIcon
              size={26}
              disabled={index === 0}
              onClick={() => move(index, -1)}
              aria-label={`Move row ${index + 1} up`}
              data-move={-1}
              className={classes.mover}
            >
              <IconArrowUp size={14} />
            </ActionIcon>
            <ActionIcon
              size={26}
              disabled={index === items.length - 1}
              onClick={() => move(index, 1)}
              aria-label={`Move row ${index + 1} down`}
              data-move={1}
              className={classes.mover}
            >
              <IconArrowDown size={14} />
            </ActionIcon>
            <ActionIcon size={26} onClick={() => remove(index)} aria-label={`Remove row ${index + 1}`} data-remove>
              <IconTrash size={14} />
            </ActionIcon>
          </Group>
        </Box>
      ))}
      {error ? <Input.Error>{error}</Input.Error> : null}
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<IconPlus size={14} />}
        onClick={add}
        aria-invalid={error ? true : undefined}
        data-add
      >
        Add row
      </Button>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Box>
  );
}

interface MemberGiven {
  readonly member: Member;
  /** What it is called where its name is not shown above it. */
  readonly label: string | undefined;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function MemberInput({ member: { name, kind, isLong }, label, value, onChange }: MemberGiven): ReactNode {
  const shared = { label: name || undefined, 'aria-label': label };
  if (kind === 'choice') {
    return <YesNoSelect {...shared} clearable={name !== ''} placeholder="Not given" value={value} onChange={onChange} />;
  }
  return isLong ? (
    <Textarea
      {...shared}
      autosize
      minRows={1}
      maxRows={10}
      className={classes.long}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <TextInput {...shared} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}
