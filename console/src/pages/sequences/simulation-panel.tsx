import { Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { KindIcon } from './graph/kind-icon.tsx';
import { nodeWords } from './graph/node-words.ts';
import { endWords, refusalWords } from './run-words.ts';
import type { SequenceGraph, Simulation } from './sequence-queries.ts';
import classes from './sequences.module.css';
import { stepWords } from './simulation-words.ts';

interface Given {
  readonly graph: SequenceGraph;
  readonly simulation: Simulation;
  readonly onSelect: (nodeId: string) => void;
}

/** How a simulation went, step by step. */
export function SimulationPanel({ graph, simulation, onSelect }: Given): ReactNode {
  const { path } = simulation;
  const words = (id: string): string => {
    const node = graph.nodes.find((one) => one.id === id);
    return node ? nodeWords(node, graph.triggers) : id;
  };
  return (
    <Panel title={`Way (${path.length} steps)`} flush>
      <ol className={classes.way}>
        {path.map((step, index) => {
          const { nodeId, kind } = step;
          const says = stepWords(
            step,
            graph.nodes.find(({ id }) => id === nodeId),
          );
          return (
            <li key={index}>
              <UnstyledButton className={`${classes.problem} ${classes.step}`} onClick={() => onSelect(nodeId)}>
                <KindIcon kind={kind} size={15} />
                <span>
                  {index + 1}. {words(nodeId)}
                  {says ? (
                    <Text size="xs" c="dimmed">
                      {says}
                    </Text>
                  ) : null}
                </span>
              </UnstyledButton>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

/** How a simulation ended, in one line. */
export function SimulationSummary({ simulation }: { readonly simulation: Simulation }): ReactNode {
  const { path, sends, endedBy, refusal } = simulation;
  const mails = sends.length === 0 ? 'no mail' : `${sends.length} mail${sends.length === 1 ? '' : 's'}: ${sends.join(', ')}`;
  return (
    <Text size="sm" role="status">
      <b>{endWords(endedBy)}</b>
      <Text span inherit c="dimmed" ml={8}>
        {refusal ? refusalWords(refusal.reason) : `${path.length} steps, ${mails}`}
      </Text>
    </Text>
  );
}
