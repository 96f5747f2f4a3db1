import { Box, Button, Group, Input, VisuallyHidden } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './data-fields.module.css';
import type { Item, Member } from './list-items.ts';
import { ListRow } from './list-row.tsx';
import { useListRows } from './use-list-rows.ts';

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
  const { list, said, set, add, move, remove } = useListRows({ members, items, onChange });
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
        <ListRow
          key={index}
          label={label}
          index={index}
          count={items.length}
          members={members}
          item={item}
          onChange={(changed) => set(items.with(index, changed))}
          onMove={(by) => move(index, by)}
          onRemove={() => remove(index)}
        />
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
