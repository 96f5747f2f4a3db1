import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLackingData } from './lacking-data.ts';
import type { SequenceGraph } from './sequence-queries.ts';

/** The mails of a sequence that would fail, since nothing gives what their templates require. Nothing when there are none. */
export function LackingData({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const lacking = useLackingData(graph);
  if (lacking.length === 0) return null;
  return (
    <Alert color="orange" role="alert" icon={<IconAlertTriangle size={18} />} title="Emails would fail because data is missing">
      <List size="sm" spacing={4} listStyleType="none">
        {lacking.map(({ nodeId, message }) => (
          <List.Item key={`${nodeId} ${message}`}>
            <b>{nodeId}</b> {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
