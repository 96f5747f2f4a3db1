import { ActionIcon, Button, Divider, Group, Select, Stack, TextInput, Tooltip } from '@mantine/core';
import { IconCopy, IconTrash, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { LONGEST_NAME } from '../../../api/limits.ts';
import { Panel } from '../../../frame/detail.tsx';
import type { NodeKind } from '../graph/node-kinds.ts';
import { branchKeys, kindName, nodeWords, outcomeWords, whatHappens } from '../graph/node-words.ts';
import type { GraphNode } from '../sequence-queries.ts';
import { StepMail } from '../step-mail.tsx';
import { AddStep } from './add-step.tsx';
import { ConfigEditor } from './config-editor.tsx';
import type { Also } from './config-form.ts';
import { type GraphDraft, leadTo, type Way, waysOf, withLabel } from './graph-draft.ts';
import { NodeId } from './node-id.tsx';
import { TriggersEditor } from './triggers-editor.tsx';

interface Given {
  /** The key of the sequence. */
  readonly sequence: string;
  readonly draft: GraphDraft;
  readonly node: GraphNode;
  readonly onChange: (draft: GraphDraft, what?: string) => void;
  readonly onConfig: (config: GraphNode['config'], also?: Also) => void;
  readonly onRename: (id: string) => void;
  readonly onAdd: (after: { readonly from: string; readonly branchKey?: string }, kind: NodeKind) => void;
  /** After the step of that id. */
  readonly onCopy: (nodeId: string) => void;
  readonly onSelect: (nodeId: string | undefined) => void;
  readonly onDelete: () => void;
}

/** One step: its settings, and where each of its outcomes leads. */
export function NodeEditor({ sequence, draft, node, onChange, onConfig, onRename, onAdd, onCopy, onSelect, onDelete }: Given): ReactNode {
  const ways = offered(waysOf(draft, node));
  const isOnly = branchKeys(node).length === 0;
  const targets = draft.nodes
    .filter(({ id, kind }) => id !== node.id && kind !== 'trigger')
    .map((one) => ({ value: one.id, label: `${nodeWords(one, draft.triggers)} (${one.id})` }));
  return (
    <Panel
      title={kindName(node)}
      action={
        <Group gap={2}>
          {node.kind === 'trigger' || node.kind === 'exit' ? null : (
            <Tooltip label="Duplicate">
              <ActionIcon onClick={() => onCopy(node.id)} aria-label={`Copy ${node.id}`}>
                <IconCopy size={15} />
              </ActionIcon>
            </Tooltip>
          )}
          {node.kind === 'trigger' ? null : (
            <ActionIcon onClick={onDelete} aria-label={`Delete ${node.id}`} color="red">
              <IconTrash size={15} />
            </ActionIcon>
          )}
          <ActionIcon onClick={() => onSelect(undefined)} aria-label="Close step">
            <IconX size={15} />
          </ActionIcon>
        </Group>
      }
    >
      <Stack gap="sm">
        <NodeId sequence={sequence} draft={draft} node={node} onRename={onRename} />
        {node.kind === 'trigger' ? (
          <TriggersEditor
            triggers={draft.triggers}
            reentry={draft.reentry}
            onChange={(triggers) => onChange({ ...draft, triggers }, 'triggers')}
          />
        ) : (
          <TextInput
            label="Label"
            size="xs"
            placeholder={whatHappens(node, draft.triggers)}
            maxLength={LONGEST_NAME}
            value={node.label ?? ''}
            onChange={({ currentTarget }) => onChange(withLabel(draft, node.id, currentTarget.value), `label ${node.id}`)}
          />
        )}
        <ConfigEditor node={node} onChange={onConfig} />
        <StepMail node={node} />
        {ways.length > 0 ? <Divider /> : null}
        {ways.map((way) => (
          <WayEditor
            key={way.branchKey ?? ''}
            {...{ draft, node, way, targets, onChange }}
            label={wayWords(way, isOnly)}
            onAdd={canAddTo(way, ways) ? (kind) => onAdd({ from: node.id, ...branchOf(way) }, kind) : undefined}
          />
        ))}
      </Stack>
    </Panel>
  );
}

interface WayGiven extends Pick<Given, 'draft' | 'node' | 'onChange'> {
  readonly way: Way;
  readonly label: string;
  /** The steps that it may lead to. */
  readonly targets: readonly { readonly value: string; readonly label: string }[];
  /** Adds the step that it leads to; undefined where none can be added. */
  readonly onAdd: ((kind: NodeKind) => void) | undefined;
}

/** Where one outcome leads. */
function WayEditor({ draft, node, way, label, targets, onChange, onAdd }: WayGiven): ReactNode {
  return (
    <Group gap={6} wrap="nowrap" align="flex-end">
      <Select
        label={label}
        placeholder="Not connected"
        size="xs"
        flex={1}
        searchable
        clearable
        data={[...targets]}
        value={way.to ?? null}
        onChange={(to) => onChange(leadTo(draft, node.id, way.branchKey, to ?? undefined))}
      />
      {onAdd ? (
        <AddStep
          label={`New step after ${label}`}
          words="New"
          withoutEnd={draft.nodes.some(({ id, kind }) => id === way.to && kind === 'exit')}
          onAdd={onAdd}
        />
      ) : null}
      {way.isStray ? (
        <Button variant="default" onClick={() => onChange(leadTo(draft, node.id, way.branchKey, undefined))}>
          Remove
        </Button>
      ) : null}
    </Group>
  );
}

function branchOf({ branchKey }: Way): { readonly branchKey?: string } {
  return branchKey === undefined ? {} : { branchKey };
}

/** By the key A on it, a step with one way gets the next; of several the way has to be chosen. */
function canAddTo({ to, branchKey, isStray }: Way, ways: readonly Way[]): boolean {
  if (isStray) return false;
  return ways.length === 1 ? to === undefined : branchKey !== undefined || to !== undefined;
}

/** A way for whatever comes leaves nothing to the others, and they nothing to it. */
function offered(ways: readonly Way[]): readonly Way[] {
  const rest = ways.find(({ branchKey }) => branchKey === undefined);
  if (!rest || ways.length === 1) return ways;
  const others = ways.filter((way) => way !== rest);
  const led = others.filter(({ to }) => to !== undefined);
  if (rest.to !== undefined) return [...led, rest];
  return led.length > 0 ? others : ways;
}

function wayWords({ branchKey, isStray }: Way, isOnly: boolean): string {
  if (branchKey === undefined) return isOnly ? 'Then' : 'Always';
  return isStray ? `${branchKey} (no such outcome)` : outcomeWords(branchKey);
}
