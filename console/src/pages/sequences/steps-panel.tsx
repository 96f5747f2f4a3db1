import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { KindIcon } from './graph/kind-icon.tsx';
import { nodeWords } from './graph/node-words.ts';
import type { SequenceFlow, SequenceGraph } from './sequence-queries.ts';
import classes from './sequences.module.css';

interface Given {
  readonly graph: Pick<SequenceGraph, 'nodes' | 'triggers'>;
  readonly flow?: SequenceFlow | undefined;
  readonly selected: string | undefined;
  readonly onSelect: (nodeId: string) => void;
}

/** The nodes as a list: the graph for whoever does not use the canvas. */
export function StepsPanel({ graph, flow, selected, onSelect }: Given): ReactNode {
  const counts = new Map(flow?.nodes.map((one) => [one.id, one]));
  return (
    <Panel title={`Steps (${graph.nodes.length})`} flush>
      <ul className={classes.steps}>
        {graph.nodes.map((node) => {
          const { standing = 0, visits } = counts.get(node.id) ?? {};
          return (
            <li key={node.id}>
              <UnstyledButton className={classes.step} aria-pressed={node.id === selected} onClick={() => onSelect(node.id)}>
                <KindIcon kind={node.kind} size={15} />
                <span className={classes.stepWords}>{nodeWords(node, graph.triggers)}</span>
                {visits === undefined ? null : (
                  <span className={classes.stepCounts}>
                    {visits.toLocaleString('en')} came{standing > 0 ? `, ${standing.toLocaleString('en')} here` : ''}
                  </span>
                )}
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
