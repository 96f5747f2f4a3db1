import { ActionIcon, Box, Group, Switch, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from '../sequences.module.css';

interface Given {
  /** What it is, like `event signed_up`. */
  readonly name: string;
  /** Its main field. */
  readonly field: ReactNode;
  readonly problem: string | undefined;
  readonly enabled: boolean;
  /** What it means that it is off. */
  readonly off: string;
  readonly onEnabled: (enabled: boolean) => void;
  readonly onRemove: () => void;
  readonly children?: ReactNode;
}

/** One trigger: its main field, what else it says, and whether it is on. */
export function TriggerPart({ name, field, problem, enabled, off, onEnabled, onRemove, children }: Given): ReactNode {
  return (
    <Box role="group" aria-label={`${name.charAt(0).toUpperCase()}${name.slice(1)}`} className={classes.part}>
      <Group gap={6} wrap="nowrap" align="flex-end">
        {field}
        <ActionIcon size={30} aria-label={`Remove ${name}`} onClick={onRemove}>
          <IconTrash size={15} />
        </ActionIcon>
      </Group>
      {problem ? (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {problem}
        </Text>
      ) : null}
      {children}
      <Switch
        size="xs"
        label="On"
        description={enabled ? undefined : off}
        checked={enabled}
        onChange={(event) => onEnabled(event.currentTarget.checked)}
      />
    </Box>
  );
}
