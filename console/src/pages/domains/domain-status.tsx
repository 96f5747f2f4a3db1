import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import type { Domain } from './domain-queries.ts';

/** Whether email may be from a domain, and since when that is about to end. */
export function DomainStatus({ domain: { standing, verified, vouched, failing_since } }: { readonly domain: Domain }): ReactNode {
  if (standing === 'failing') {
    return (
      <Beside status={<Status value="failing" tone={vouched ? 'warning' : 'bad'} />}>
        {failing_since ? (
          <>
            since <Time at={failing_since} />
          </>
        ) : null}
      </Beside>
    );
  }
  if (!verified) return <Status value="pending" />;
  return <Beside status={<Status value="verified" tone="good" />}>{standing === 'verified' ? null : 'by an operator'}</Beside>;
}

function Beside({ status, children }: { readonly status: ReactNode; readonly children: ReactNode }): ReactNode {
  if (!children) return status;
  return (
    <Group gap={6}>
      {status}
      <Text span size="xs" c="dimmed" fw={400}>
        {children}
      </Text>
    </Group>
  );
}
