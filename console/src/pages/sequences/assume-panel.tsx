import { ActionIcon, Group, Select, Text, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { assumableOutcomes, assumableWords, nodeWords } from './graph/node-words.ts';
import type { GraphNode, SequenceGraph } from './sequence-queries.ts';
import classes from './sequences.module.css';
import type { SimulationDraft } from './simulation-draft.ts';

interface Given {
  readonly graph: SequenceGraph;
  /** The one that is selected. */
  readonly node: GraphNode | undefined;
  readonly draft: SimulationDraft;
  readonly onChange: (draft: SimulationDraft) => void;
  readonly onSelect: (nodeId: string | undefined) => void;
}

/** Which outcomes a simulation assumes; a node is chosen in the list or on the canvas. */
export function AssumePanel({ graph, node, draft, onChange, onSelect }: Given): ReactNode {
  const open = graph.nodes.filter((one) => assumableOutcomes(one).length > 0);
  const outcomes = node ? assumableOutcomes(node) : [];
  const assume = (nodeId: string, outcome: string | null): void => {
    const { [nodeId]: _, ...rest } = draft.assume;
    onChange({ ...draft, assume: outcome === null ? rest : { ...rest, [nodeId]: outcome } });
  };
  const words = (id: string): string => {
    const found = graph.nodes.find((one) => one.id === id);
    return found ? nodeWords(found, graph.triggers) : id;
  };
  const outcomeOf = (id: string, outcome: string): string => {
    const found = graph.nodes.find((one) => one.id === id);
    return found ? assumableWords(found, outcome) : outcome;
  };
  if (open.length === 0) return null;
  return (
    <Panel title="What if (optional)">
      <Text size="xs" c="dimmed" mb="xs">
        Choose how a step turns out, to follow another path.
      </Text>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <Select
          label="Step"
          placeholder="Choose a step"
          searchable
          flex={1}
          size="xs"
          data={open.map((one) => ({ value: one.id, label: nodeWords(one, graph.triggers) }))}
          value={outcomes.length > 0 && node ? node.id : null}
          onChange={(id) => onSelect(id ?? undefined)}
        />
        <Select
          label="Outcome"
          placeholder="As it turns out"
          clearable
          w={156}
          size="xs"
          disabled={outcomes.length === 0}
          data={node ? outcomes.map((key) => ({ value: key, label: assumableWords(node, key) })) : []}
          value={node ? (draft.assume[node.id] ?? null) : null}
          onChange={(outcome) => node && assume(node.id, outcome)}
        />
      </Group>
      {Object.entries(draft.assume).map(([id, outcome]) => (
        <Group key={id} gap="xs" mt={8} wrap="nowrap" justify="space-between">
          <UnstyledButton className={classes.assumed} onClick={() => onSelect(id)}>
            {words(id)}
          </UnstyledButton>
          <Group gap={4} wrap="nowrap" flex="none">
            <Text size="sm" fw={500}>
              {outcomeOf(id, outcome)}
            </Text>
            <ActionIcon size="sm" aria-label={`Stop assuming ${outcomeOf(id, outcome)} at ${words(id)}`} onClick={() => assume(id, null)}>
              <IconX size={13} />
            </ActionIcon>
          </Group>
        </Group>
      ))}
    </Panel>
  );
}
