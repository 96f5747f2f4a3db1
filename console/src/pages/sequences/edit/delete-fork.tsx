import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { nodeWords, outcomeWords } from '../graph/node-words.ts';
import { cutOff, type GraphDraft, nextOf, withoutNode, withoutNodes } from './graph-draft.ts';
import { LostSteps, stepsWords } from './lost-steps.tsx';

interface Given {
  readonly draft: GraphDraft;
  /** The step with several ways that is to be deleted; undefined: nothing is asked. */
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onDelete: (left: GraphDraft) => void;
}

/** Whether steps would hang in the air when a step is taken out: those on the ways that do not stay. */
export function isFork(draft: GraphDraft, id: string): boolean {
  return nextOf(draft, id).some((next) => cutOff(draft, withoutNode(draft, id, next)).length > 0);
}

/** Asks which way stays where a step with several is deleted: what hangs on the others goes with it. */
export function DeleteFork({ draft, id, onClose, onDelete }: Given): ReactNode {
  return (
    <Modal opened={id !== undefined} onClose={onClose} title={`Delete ${id ?? ''} and the steps after it?`}>
      {id === undefined ? null : <Question key={id} draft={draft} id={id} onClose={onClose} onDelete={onDelete} />}
    </Modal>
  );
}

function Question({ draft, id, onClose, onDelete }: Given & { readonly id: string }): ReactNode {
  const ways = nextOf(draft, id);
  const [stays, setStays] = useState(ways[0]);
  const left = withoutNode(draft, id, stays);
  const lost = cutOff(draft, left);
  return (
    <Stack gap="md">
      <Radio.Group label="Path to keep" value={stays ?? null} onChange={setStays}>
        <Stack gap={6} mt={6}>
          {ways.map((to) => (
            <Radio key={to} size="xs" value={to} label={wayWords(draft, id, to)} />
          ))}
        </Stack>
      </Radio.Group>
      <div>
        {lost.length > 0 ? (
          <LostSteps steps={lost} />
        ) : (
          <Text size="sm" c="dimmed">
            All other steps stay connected.
          </Text>
        )}
      </div>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red.8" onClick={() => onDelete(withoutNodes(left, lost))}>
          {lost.length > 0 ? `Delete with ${stepsWords(lost)}` : 'Delete it'}
        </Button>
      </Group>
    </Stack>
  );
}

/** Like `Yes: Send welcome`. */
function wayWords({ nodes, edges, triggers }: GraphDraft, from: string, to: string): string {
  const keys = edges.flatMap((edge) => (edge.from === from && edge.to === to && edge.branchKey !== undefined ? [edge.branchKey] : []));
  const target = nodes.find(({ id }) => id === to);
  const words = target ? nodeWords(target, triggers) : to;
  return keys.length > 0 ? `${keys.map(outcomeWords).join(', ')}: ${words}` : words;
}
