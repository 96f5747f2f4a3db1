import { UnstyledButton } from '@mantine/core';
import { memo, type ReactNode } from 'react';
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
        {graph.nodes.map((node) => (
          <Step
            key={node.id}
            id={node.id}
            kind={node.kind}
            words={nodeWords(node, graph.triggers)}
            visits={counts.get(node.id)?.visits}
            standing={counts.get(node.id)?.standing ?? 0}
            failed={counts.get(node.id)?.failed ?? 0}
            isSelected={node.id === selected}
            onSelect={onSelect}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface StepGiven {
  readonly id: string;
  readonly kind: string;
  readonly words: string;
  readonly visits: number | undefined;
  readonly standing: number;
  readonly failed: number;
  readonly isSelected: boolean;
  readonly onSelect: (nodeId: string) => void;
}

/** Drawn again only when it is another: there may be hundreds. */
const Step = memo(function Step({ id, kind, words, visits, standing, failed, isSelected, onSelect }: StepGiven): ReactNode {
  return (
    <li>
      <UnstyledButton className={classes.step} aria-pressed={isSelected} onClick={() => onSelect(id)}>
        <KindIcon kind={kind} size={15} />
        <span className={classes.stepWords}>{words}</span>
        {visits === undefined ? null : (
          <span className={classes.stepCounts}>
            {visits.toLocaleString('en')} entered{standing > 0 ? `, ${standing.toLocaleString('en')} here` : ''}
            {failed > 0 ? <span className={classes.failed}>, {failed.toLocaleString('en')} failed</span> : null}
          </span>
        )}
      </UnstyledButton>
    </li>
  );
});
