import type { ReactNode } from 'react';
import { focusNode } from '../graph/node-focus.ts';
import { isOfTriggers, type Problem } from '../problems.ts';
import { StepPanel } from '../workbench.tsx';
import { Faults } from './faults.tsx';
import { withConfig, withNodeId, withOutcome } from './graph-draft.ts';
import { NodeEditor } from './node-editor.tsx';
import { SettingsEditor } from './settings-editor.tsx';
import type { EditedGraph } from './use-edited-graph.ts';
import type { StepChanges } from './use-step-changes.ts';

interface Given {
  /** The key of the sequence. */
  readonly sequence: string;
  readonly edited: EditedGraph;
  readonly steps: StepChanges;
  /** What the API found wrong, shown at the inputs. */
  readonly refused: readonly Problem[];
  readonly selected: string | undefined;
  readonly onSelect: (nodeId: string | undefined) => void;
}

/** The settings of the step that is selected, else those of the sequence. */
export function EditedSettings({ sequence, edited: { draft, change }, steps, refused, selected, onSelect }: Given): ReactNode {
  const node = draft.nodes.find(({ id }) => id === selected);
  if (!node) {
    return (
      <Faults value={refused.filter(({ nodeId }) => nodeId === undefined)}>
        <SettingsEditor draft={draft} onChange={change} />
      </Faults>
    );
  }
  const { id, kind } = node;
  return (
    <StepPanel>
      <Faults value={refused.filter((one) => one.nodeId === id || (kind === 'trigger' && isOfTriggers(one)))}>
        <NodeEditor
          key={id}
          sequence={sequence}
          draft={draft}
          node={node}
          onChange={change}
          onConfig={(config, also) => {
            const outcome = also?.outcome;
            const led = outcome ? withOutcome(draft, id, outcome) : draft;
            // Typing is one step of undo; a branch more or less is one of its own.
            change(withConfig(led, id, config), outcome && !('renamed' in outcome) ? undefined : `config ${id}`);
          }}
          onRename={(to) => {
            change(withNodeId(draft, id, to));
            onSelect(to);
            focusNode(to);
          }}
          onAdd={steps.insert}
          onCopy={steps.copy}
          onSelect={onSelect}
          onDelete={() => steps.remove(id)}
        />
      </Faults>
    </StepPanel>
  );
}
