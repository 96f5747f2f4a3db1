import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import classes from './home.module.css';
import { attentionQuery } from './home-queries.ts';

/** What somebody should look at; nothing but a line when all is well. */
export function Attention(): ReactNode {
  const { data, error, refetch } = useQuery(attentionQuery());
  if (error && !data) return <FailureNotice error={error} onRetry={refetch} />;
  if (!data) return null;
  if (data.length === 0) {
    return (
      <Group gap={6} c="dimmed" wrap="nowrap" align="flex-start">
        <IconCircleCheck size={17} className={classes.well} aria-hidden />
        <Text size="sm">Nothing needs a look: senders are verified, endpoints take their deliveries, nothing is held.</Text>
      </Group>
    );
  }
  return (
    <Panel title="Needs a look">
      <Stack gap="xs">
        {data.map(({ kind, about, message }) => (
          <Group key={`${kind} ${about}`} gap="xs" wrap="nowrap" align="flex-start">
            <IconAlertTriangle size={16} className={classes.warning} aria-hidden />
            <Text size="sm" className={classes.message}>
              {asSentence(message)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}

/** With a capital, unless it begins with an address. */
function asSentence(message: string): string {
  return /^[a-z]+:/.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);
}
