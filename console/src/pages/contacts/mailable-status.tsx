import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import { REASONS } from '../suppressions/reasons.ts';
import type { ContactWithConsent, ListedContact } from './contact-queries.ts';
import { UNCONFIRMED, unconfirmed } from './contact-status.ts';

interface Given {
  /** `confirmation` where it is known: lists do not tell it. */
  readonly contact: Pick<ListedContact, 'status' | 'suppressed'> & Partial<Pick<ContactWithConsent, 'confirmation'>>;
}

/** The status of a contact; of one whose address is suppressed that first, since it gets no mail whatever the status is. */
export function MailableStatus({ contact: { status, suppressed, confirmation = null } }: Given): ReactNode {
  const state = unconfirmed({ status, confirmation });
  if (suppressed === null && state) {
    return (
      <Group gap="0 8px">
        <Status value={status} />
        <Text span size="xs" c="dimmed" fw={400} title="Gets no marketing email until the person confirms">
          {UNCONFIRMED[state]}
        </Text>
      </Group>
    );
  }
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
