import { ActionIcon, Button, Group, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import type { GraphNode } from '../sequence-queries.ts';
import { flowQuery } from '../sequence-queries.ts';
import { type GraphDraft, nodeIdProblem } from './graph-draft.ts';

interface Given {
  /** The key of the sequence. */
  readonly sequence: string;
  readonly draft: GraphDraft;
  readonly node: GraphNode;
  readonly onRename: (id: string) => void;
}

/** The id of a step, which can be changed: what that means is said where it is done. */
export function NodeId({ sequence, draft, node, onRename }: Given): ReactNode {
  const [isEditing, setIsEditing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setIsEditing(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  if (isEditing) return <Rename sequence={sequence} draft={draft} node={node} onRename={onRename} onClose={close} />;
  return (
    <Group gap={4}>
      <Text size="xs" c="dimmed" ff="monospace">
        {node.id}
      </Text>
      <Tooltip label="Change ID">
        <ActionIcon ref={opener} size={22} aria-label={`Change ID ${node.id}`} onClick={() => setIsEditing(true)}>
          <IconPencil size={13} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function Rename({ sequence, draft, node, onRename, onClose }: Given & { readonly onClose: () => void }): ReactNode {
  const [id, setId] = useState(node.id);
  const { data: flow } = useQuery(flowQuery(sequence));
  const standing = flow?.nodes.find((one) => one.id === node.id)?.standing ?? 0;
  const problem = nodeIdProblem(draft, node.id, id);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (problem) return;
    if (id === node.id) onClose();
    else onRename(id);
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Stack gap={6}>
        <TextInput
          label="Step ID"
          description={whatItMeans(node.kind, standing)}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          size="xs"
          spellCheck={false}
          autoComplete="off"
          autoFocus
          value={id}
          error={problem}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={problem !== undefined || id === node.id}>
            Change ID
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A run keeps the version that it began with: docs/contract/sequences.md 13. Counts, and the branches of a split, go by the id. */
function whatItMeans(kind: string, standing: number): string {
  const runs =
    standing === 0
      ? 'No runs are at this step.'
      : `${standing.toLocaleString('en')} ${standing === 1 ? 'run is' : 'runs are'} here and will continue on their version under the old ID.`;
  const split = kind === 'split' ? ' Contacts are assigned to the branches again.' : '';
  return `${runs} The counts of this step restart with the new ID.${split}`;
}
