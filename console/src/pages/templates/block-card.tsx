import { ActionIcon, Group, Menu, Paper, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconDots, IconEye, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Issue } from '../../api/failure.ts';
import { isAt, problemAt } from '../../api/issues.ts';
import { BlockFieldInput } from './block-field-input.tsx';
import { BLOCK_KINDS } from './block-fields.ts';
import { BlocksEditor } from './blocks-editor.tsx';
import type { Block, BlockDraft } from './content-draft.ts';
import classes from './templates.module.css';

interface Given {
  readonly draft: BlockDraft;
  readonly path: string;
  readonly issues: readonly Issue[];
  readonly onChange: (draft: BlockDraft) => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
  /** undefined: it is the first. */
  readonly onUp: (() => void) | undefined;
  /** undefined: it is the last. */
  readonly onDown: (() => void) | undefined;
}

/** One block with all that it holds. */
export function BlockCard({ draft, path, issues, onChange, onCopy, onRemove, onUp, onDown }: Given): ReactNode {
  const { block, columns } = draft;
  const { label, icon: Icon, fields } = BLOCK_KINDS[block.type];
  const set = (name: string, value: unknown): void => onChange({ ...draft, block: withValue(block, name, value) });
  const names = [...fields.map(({ name }) => name), 'showIf'];
  const own = issues.filter((issue) => isAt(issue.path, path));
  const rest = own.filter((issue) => !names.some((name) => isAt(issue.path, `${path}.${name}`)) && block.type !== 'columns');
  const problemOf = (name: string): string | undefined => problemAt(own, `${path}.${name}`);
  return (
    <Paper
      withBorder
      radius="md"
      component="section"
      role="group"
      id={draft.id}
      aria-label={label}
      className={classes.card}
      data-bad={own.length > 0 || undefined}
    >
      <Group justify="space-between" wrap="nowrap" className={classes.cardHead}>
        <Group gap={6} wrap="nowrap" c="dimmed">
          <Icon size={15} stroke={1.7} aria-hidden />
          <Text size="xs" fw={500}>
            {label}
          </Text>
        </Group>
        <Group gap={0} wrap="nowrap">
          <ActionIcon size={26} disabled={!onUp} onClick={onUp} aria-label={`Move ${label} up`} data-move={-1} className={classes.mover}>
            <IconArrowUp size={14} />
          </ActionIcon>
          <ActionIcon
            size={26}
            disabled={!onDown}
            onClick={onDown}
            aria-label={`Move ${label} down`}
            data-move={1}
            className={classes.mover}
          >
            <IconArrowDown size={14} />
          </ActionIcon>
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon size={26} aria-label={`More for ${label}`} data-menu>
                <IconDots size={14} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconCopy size={15} />} onClick={onCopy}>
                Duplicate
              </Menu.Item>
              {typeof block.showIf === 'string' ? null : (
                <Menu.Item leftSection={<IconEye size={15} />} onClick={() => set('showIf', '')}>
                  Show only if…
                </Menu.Item>
              )}
              <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={onRemove}>
                Remove
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      {fields.length > 0 || columns.length > 0 || typeof block.showIf === 'string' || rest.length > 0 ? (
        <Stack gap="sm" className={classes.cardBody}>
          {fields.map((field) => (
            <BlockFieldInput
              key={field.name}
              field={field}
              value={(block as unknown as Readonly<Record<string, unknown>>)[field.name]}
              problem={problemOf(field.name)}
              onChange={(value) => set(field.name, value)}
            />
          ))}
          {columns.map((blocks, index) => (
            <div key={index}>
              <Text size="xs" c="dimmed" mb={6}>
                Column {index + 1}
              </Text>
              <BlocksEditor
                isNested
                blocks={blocks}
                path={`${path}.columns[${index}].blocks`}
                issues={issues}
                onChange={(changed) => onChange({ ...draft, columns: columns.with(index, changed) })}
              />
            </div>
          ))}
          {typeof block.showIf === 'string' ? (
            <TextInput
              label="Shown only if this has a value"
              placeholder="A path into the data, like order.discount"
              value={block.showIf}
              error={problemOf('showIf')}
              onChange={(event) => set('showIf', event.currentTarget.value)}
              onBlur={() => (block.showIf === '' ? set('showIf', undefined) : undefined)}
            />
          ) : null}
          {rest.map(({ path: at, message }) => (
            <Text key={`${at} ${message}`} size="xs" c="red">
              {message}
            </Text>
          ))}
        </Stack>
      ) : null}
    </Paper>
  );
}

/** What its form gives is of the kind that the block holds there. */
function withValue(block: Block, name: string, value: unknown): Block {
  const { [name]: _, ...others } = block as unknown as Readonly<Record<string, unknown>>;
  return (value === undefined ? others : { ...others, [name]: value }) as unknown as Block;
}
