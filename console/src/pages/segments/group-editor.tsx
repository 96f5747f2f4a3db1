import { ActionIcon, Button, Group, Menu, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type Draft, emptyGroup, type GroupDraft, newRule } from './condition-draft.ts';
import classes from './group-editor.module.css';
import { RuleEditor } from './rule-editor.tsx';
import type { RuleFaults } from './rule-faults.ts';

/** The API takes five levels; a rule is one, and a group that means "none of" may need one more. */
const MOST_NESTED = 3;

const MATCHES = [
  { value: 'all', label: 'All' },
  { value: 'any', label: 'Any' },
  { value: 'none', label: 'None' },
];

interface Given {
  readonly group: GroupDraft;
  readonly onChange: (group: GroupDraft) => void;
  readonly level?: number;
  /** It is judged when an event comes: what came with it can be asked about. */
  readonly hasEvent?: boolean;
  /** It may ask for segments, which the rules of a segment may not. */
  readonly hasSegments?: boolean;
  /** Saving has been tried: what is still to be filled in is marked. */
  readonly isAsked?: boolean;
  readonly faults?: RuleFaults | undefined;
}

/** Rules and groups of rules, of which all, any or none must hold. */
export function GroupEditor({ group, onChange, level = 1, ...given }: Given): ReactNode {
  const { hasEvent = false, hasSegments = false, isAsked = false, faults } = given;
  const replace = (item: Draft): void => onChange({ ...group, items: group.items.map((one) => (one.id === item.id ? item : one)) });
  const remove = (id: string): void => onChange({ ...group, items: group.items.filter((one) => one.id !== id) });
  const [added, setAdded] = useState<string>();
  const add = (item: Draft): void => {
    setAdded(item.id);
    onChange({ ...group, items: [...group.items, item] });
  };
  return (
    <Stack
      gap={8}
      className={classes.group}
      data-nested={level > 1 || undefined}
      role="group"
      aria-label={level > 1 ? 'Group of rules' : 'Rules'}
    >
      {group.items.length > 1 || group.match !== 'all' || level > 1 ? (
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            data={MATCHES}
            value={group.match}
            onChange={(match) => onChange({ ...group, match: match as GroupDraft['match'] })}
            aria-label="How many rules must match"
          />
          <Text size="xs" c="dimmed">
            of these must hold
          </Text>
        </Group>
      ) : null}
      {group.items.map((item) => (
        <Group key={item.id} gap={6} wrap="nowrap" align="flex-start">
          <div className={classes.item} ref={item.id === added ? focusFirst : undefined}>
            {item.kind === 'group' ? (
              <GroupEditor group={item} onChange={replace} level={level + 1} {...given} />
            ) : (
              <RuleEditor rule={item} onChange={replace} hasEvent={hasEvent} isAsked={isAsked} fault={faults?.get(item)} />
            )}
          </div>
          <ActionIcon size={30} onClick={() => remove(item.id)} aria-label={item.kind === 'group' ? 'Remove group' : 'Remove rule'}>
            <IconTrash size={15} />
          </ActionIcon>
        </Group>
      ))}
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="default" size="xs" w="fit-content" leftSection={<IconPlus size={14} />}>
            Add rule
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => add(newRule('field'))}>Contact field</Menu.Item>
          <Menu.Item onClick={() => add(newRule('email'))}>Email activity</Menu.Item>
          <Menu.Item onClick={() => add(newRule('event'))}>Event</Menu.Item>
          {hasSegments ? <Menu.Item onClick={() => add(newRule('segment'))}>Segment</Menu.Item> : null}
          {level < MOST_NESTED ? <Menu.Item onClick={() => add(emptyGroup([newRule('field')]))}>Group of rules</Menu.Item> : null}
        </Menu.Dropdown>
      </Menu>
    </Stack>
  );
}

/** Goes on in what was added, once the menu that it came from is closed: until then the menu gives the focus back to its button. */
function focusFirst(item: HTMLElement | null): void {
  setTimeout(() => item?.querySelector<HTMLElement>('input:not([type="radio"])')?.focus());
}
