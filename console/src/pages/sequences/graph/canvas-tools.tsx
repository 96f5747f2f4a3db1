import { ActionIcon, Select, Text } from '@mantine/core';
import { IconMaximize, IconMinus, IconPlus } from '@tabler/icons-react';
import type { ReactFlowInstance } from '@xyflow/react';
import type { ReactNode, RefObject } from 'react';
import classes from './graph.module.css';
import type { DrawnEdge } from './graph-edge.tsx';
import type { DrawnNode } from './graph-node.tsx';

/** Of steps at a time. */
const MOST_OFFERED = 50;

interface Given {
  readonly flow: RefObject<ReactFlowInstance<DrawnNode, DrawnEdge> | undefined>;
  /** To search among; undefined: there is no search. */
  readonly steps: readonly { readonly value: string; readonly label: string }[] | undefined;
  readonly onStep: (nodeId: string) => void;
  readonly hint: string | undefined;
}

/** Below a canvas, where they cover none of its nodes: how near it is seen, and from which of its steps. */
export function CanvasTools({ flow, steps, onStep, hint }: Given): ReactNode {
  return (
    <div className={classes.tools}>
      <ActionIcon.Group>
        <ActionIcon variant="default" aria-label="Zoom in" onClick={() => void flow.current?.zoomIn()}>
          <IconPlus size={14} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Zoom out" onClick={() => void flow.current?.zoomOut()}>
          <IconMinus size={14} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Fit to screen" onClick={() => void flow.current?.fitView()}>
          <IconMaximize size={14} />
        </ActionIcon>
      </ActionIcon.Group>
      {steps ? (
        <Select
          aria-label="Go to step"
          placeholder="Go to step…"
          size="xs"
          className={classes.search}
          searchable
          limit={MOST_OFFERED}
          nothingFoundMessage="No matching steps"
          data={steps}
          value={null}
          onChange={(id) => id && onStep(id)}
        />
      ) : null}
      {hint ? (
        <Text size="xs" c="dimmed" truncate visibleFrom="sm">
          {hint}
        </Text>
      ) : null}
    </div>
  );
}
