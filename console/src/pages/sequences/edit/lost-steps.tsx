import { List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { nodeWords } from '../graph/node-words.ts';
import type { GraphNode } from '../sequence-queries.ts';

const MOST_NAMED = 6;

/** The steps that no way would lead to any more, so that they go too. */
export function LostSteps({ steps }: { readonly steps: readonly GraphNode[] }): ReactNode {
  return (
    <>
      <Text size="sm">{steps.length === 1 ? 'This step becomes unreachable:' : 'These steps become unreachable:'}</Text>
      <List size="sm" my="xs">
        {steps.slice(0, MOST_NAMED).map((node) => (
          <List.Item key={node.id}>{nodeWords(node)}</List.Item>
        ))}
        {steps.length > MOST_NAMED ? <List.Item>And {steps.length - MOST_NAMED} more</List.Item> : null}
      </List>
    </>
  );
}

/** Like `2 steps`, for the button that takes them. */
export function stepsWords({ length }: readonly GraphNode[]): string {
  return length === 1 ? 'step' : `${length} steps`;
}
