import { ActionIcon, SegmentedControl, Text, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from '../sequences.module.css';
import { AddStep } from './add-step.tsx';
import { isEnd, placeOf } from './graph-draft.ts';
import type { EditedGraph, View } from './use-edited-graph.ts';
import type { StepChanges } from './use-step-changes.ts';
import type { Travel } from './use-travel.ts';

interface Given {
  readonly edited: EditedGraph;
  readonly selected: string | undefined;
  readonly onTravel: Travel;
  readonly onAdd: StepChanges['insert'];
  /** Whether the menu of new steps is open: by its button, or a key. */
  readonly isAdding: boolean;
  readonly onAdding: (isAdding: boolean) => void;
}

/** Above a graph that is edited: canvas or JSON, undo and redo, and the next step. */
export function EditBar({ edited, selected, onTravel, onAdd, isAdding, onAdding }: Given): ReactNode {
  const { draft, text, textFault, undo, redo, show } = edited;
  const place = placeOf(draft, selected);
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="View"
        data={[
          { value: 'canvas', label: 'Canvas', disabled: textFault !== undefined },
          { value: 'json', label: 'JSON' },
        ]}
        value={text === undefined ? 'canvas' : 'json'}
        onChange={(view) => show(view as View)}
      />
      {text === undefined ? (
        <>
          <Tooltip label="Undo">
            <ActionIcon className={classes.tool} aria-label="Undo" disabled={!undo} onClick={() => onTravel(undo)}>
              <IconArrowBackUp size={17} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Redo">
            <ActionIcon className={classes.tool} aria-label="Redo" disabled={!redo} onClick={() => onTravel(redo)}>
              <IconArrowForwardUp size={17} />
            </ActionIcon>
          </Tooltip>
          {place ? (
            <AddStep
              label={`Add step ${place.words}`}
              words={`Add step ${place.words}`}
              opened={isAdding}
              onOpenedChange={onAdding}
              withoutEnd={place.edge.to !== undefined && isEnd(draft, place.edge.to)}
              onAdd={(kind) => onAdd(place.edge, kind)}
            />
          ) : null}
        </>
      ) : (
        <Text size="xs" c={textFault ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
          {textFault ?? 'As PUT /sequences/:key takes it'}
        </Text>
      )}
    </>
  );
}
