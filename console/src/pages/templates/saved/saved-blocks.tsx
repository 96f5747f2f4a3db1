import { ActionIcon, Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { LONGEST_NAME } from '../../../api/limits.ts';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { useFocusReturn } from '../../../show/focus-return.ts';
import { BLOCK_KINDS } from '../block-fields.ts';
import type { Block } from '../template-queries.ts';
import classes from './saved.module.css';
import { deleteSavedBlock, nameFault, renameSavedBlock, SAVED_BLOCKS, type SavedBlock, savedBlocksQuery } from './saved-block-queries.ts';

interface Given {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Columns hold no columns. */
  readonly isNested: boolean;
  readonly onTake: (block: Block) => void;
}

/** The blocks that the project keeps: one is put in as a copy, renamed, or deleted. */
export function SavedBlocks({ opened, onClose, ...given }: Given): ReactNode {
  const returnFocus = useFocusReturn(opened);
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={returnFocus} title="Saved blocks">
      <List {...given} />
    </Modal>
  );
}

function List({ isNested, onTake }: Pick<Given, 'isNested' | 'onTake'>): ReactNode {
  const { data: saved, error, refetch } = useQuery(savedBlocksQuery());
  /** The one that is renamed or deleted, by its id. */
  const [asked, setAsked] = useState<{ readonly id: string; readonly what: 'rename' | 'delete' }>();
  const end = (): void => setAsked(undefined);
  if (error) return <FailureNotice error={error} onRetry={refetch} />;
  if (!saved) return <Skeleton h={120} />;
  const offered = saved.filter(({ block }) => !isNested || block.type !== 'columns');
  if (offered.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None yet. “Save this block” in the menu of a block keeps it here for all templates.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Inserts a copy that does not change with the saved block.
      </Text>
      <ul className={classes.blocks}>
        {offered.map((one) => (
          <li key={one.id}>
            {asked?.id !== one.id ? (
              <Row saved={one} onTake={onTake} onAsk={(what) => setAsked({ id: one.id, what })} />
            ) : asked.what === 'rename' ? (
              <Renaming saved={one} onEnd={end} />
            ) : (
              <Deletion saved={one} onEnd={end} />
            )}
          </li>
        ))}
      </ul>
    </Stack>
  );
}

interface RowGiven {
  readonly saved: SavedBlock;
  readonly onTake: (block: Block) => void;
  readonly onAsk: (what: 'rename' | 'delete') => void;
}

function Row({ saved: { name, block }, onTake, onAsk }: RowGiven): ReactNode {
  const { label, icon: Icon } = BLOCK_KINDS[block.type];
  return (
    <Group gap="xs" wrap="nowrap">
      <Icon size={16} stroke={1.7} aria-hidden />
      <div className={classes.name}>
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed">
          {label}
        </Text>
      </div>
      <ActionIcon size={26} aria-label={`Rename ${name}`} onClick={() => onAsk('rename')}>
        <IconPencil size={14} />
      </ActionIcon>
      <ActionIcon size={26} aria-label={`Delete ${name}`} onClick={() => onAsk('delete')}>
        <IconTrash size={14} />
      </ActionIcon>
      <Button size="xs" variant="default" aria-label={`Insert ${name}`} onClick={() => onTake(block)}>
        Insert
      </Button>
    </Group>
  );
}

interface ChangeGiven {
  readonly saved: SavedBlock;
  readonly onEnd: () => void;
}

function useChange(act: () => Promise<unknown>, onEnd: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: SAVED_BLOCKS });
      onEnd();
    },
  });
}

function Renaming({ saved, onEnd }: ChangeGiven): ReactNode {
  const [name, setName] = useState(saved.name);
  const rename = useChange(() => renameSavedBlock(saved.id, name.trim()), onEnd);
  const taken = nameFault(rename.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim()) rename.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap">
          <TextInput
            flex={1}
            size="xs"
            aria-label={`New name of ${saved.name}`}
            maxLength={LONGEST_NAME}
            value={name}
            error={taken}
            onChange={(event) => setName(event.currentTarget.value)}
            autoFocus
          />
          <Button size="xs" variant="default" onClick={onEnd}>
            Cancel
          </Button>
          <Button size="xs" type="submit" loading={rename.isPending}>
            Rename
          </Button>
        </Group>
        {rename.error && !taken ? <FailureNotice error={rename.error} /> : null}
      </Stack>
    </form>
  );
}

function Deletion({ saved, onEnd }: ChangeGiven): ReactNode {
  const remove = useChange(() => deleteSavedBlock(saved.id), onEnd);
  return (
    <Stack gap="xs">
      <Text size="sm">Delete {saved.name}? Templates that have a copy keep it.</Text>
      {remove.error ? <FailureNotice error={remove.error} /> : null}
      <Group gap="xs" justify="flex-end">
        <Button size="xs" variant="default" onClick={onEnd} autoFocus>
          Keep block
        </Button>
        <Button size="xs" color="red.8" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </Group>
    </Stack>
  );
}
