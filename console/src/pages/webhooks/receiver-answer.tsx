import { Code, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from '../../show/json.module.css';
import type { Answer } from './webhook-queries.ts';

/** What a receiver answered beside its status. `label`: to which attempt, for whoever hears the page. */
export function ReceiverAnswer({ answer, label }: { readonly answer: Answer; readonly label: string }): ReactNode {
  const { headers, body, body_cut: isCut } = answer;
  const names = Object.keys(headers);
  return (
    <Stack gap={6} my={6}>
      {names.length > 0 ? (
        <Table aria-label={`Headers, ${label}`} fz="xs" verticalSpacing={2} withRowBorders={false}>
          <Table.Tbody>
            {names.map((name) => (
              <Table.Tr key={name}>
                <Table.Th fw={500} scope="row" style={{ whiteSpace: 'nowrap', width: '1%' }}>
                  {name}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{headers[name]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      {body === null ? (
        <Text size="xs" c="dimmed">
          The response body was not kept. Edit the endpoint to keep future ones.
        </Text>
      ) : body === '' ? (
        <Text size="xs" c="dimmed">
          No response body.
        </Text>
      ) : (
        <Code
          block
          fz="xs"
          tabIndex={0}
          role="region"
          aria-label={`Body, ${label}`}
          className={classes.json}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {body}
        </Code>
      )}
      {isCut ? (
        <Text size="xs" c="dimmed">
          Truncated: only the beginning is kept.
        </Text>
      ) : null}
    </Stack>
  );
}
