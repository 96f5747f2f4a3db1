import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import { REASONS } from '../suppressions/reasons.ts';
import type { ListedContact } from './contact-queries.ts';

interface Given {
  readonly contact: Pick<ListedContact, 'status' | 'suppressed'>;
}

/** The status of a contact; of one whose address is suppressed that first, since it gets no mail whatever the status is. */
export function MailableStatus({ contact: { status, suppressed } }: Given): ReactNode {
  if (suppressed === null) return <Status value={status} />;
  return (
    <Group gap="0 8px">
      <Status value="suppressed" tone="bad" />
      <Text span size="xs" c="dimmed" tt="capitalize" fw={400} title={`Reason of the suppression: ${REASONS[suppressed].label}`}>
        {status}
      </Text>
    </Group>
  );
}
