import { ActionIcon, Box, Group, Textarea, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { YesNoSelect } from '../../frame/yes-no-select.tsx';
import classes from './data-fields.module.css';
import { type Item, type Member, memberText, withMember } from './list-items.ts';

interface Given {
  /** Of the list. */
  readonly label: string;
  readonly index: number;
  /** Of rows. */
  readonly count: number;
  readonly members: readonly Member[];
  readonly item: Item;
  readonly onChange: (item: Item) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** One item of a list, changed in its place. */
export function ListRow({ label, index, count, members, item, onChange, onMove, onRemove }: Given): ReactNode {
  const number = index + 1;
  return (
    <Box
      role="group"
      aria-label={`${label}, row ${number}`}
      className={classes.row}
      data-row={index}
      data-of-several={members.length > 1 || undefined}
    >
      <div className={classes.members}>
        {members.map((member) => (
          <MemberInput
            key={member.name}
            member={member}
            label={member.name ? undefined : `${label}, row ${number}`}
            value={memberText(item, member)}
            onChange={(text) => onChange(withMember(item, member, text))}
          />
        ))}
      </div>
      <Group gap={0} wrap="nowrap" className={classes.rowActions}>
        <ActionIcon
          size={26}
          disabled={index === 0}
          onClick={() => onMove(-1)}
          aria-label={`Move row ${number} up`}
          data-move={-1}
          className={classes.mover}
        >
          <IconArrowUp size={14} />
        </ActionIcon>
        <ActionIcon
          size={26}
          disabled={number === count}
          onClick={() => onMove(1)}
          aria-label={`Move row ${number} down`}
          data-move={1}
          className={classes.mover}
        >
          <IconArrowDown size={14} />
        </ActionIcon>
        <ActionIcon size={26} onClick={onRemove} aria-label={`Remove row ${number}`} data-remove>
          <IconTrash size={14} />
        </ActionIcon>
      </Group>
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
    return <YesNoSelect {...shared} clearable={name !== ''} placeholder="Not set" value={value} onChange={onChange} />;
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
