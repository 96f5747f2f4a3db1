import { ActionIcon, Button, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { KindIcon } from './graph/kind-icon.tsx';
import { nodeWords } from './graph/node-words.ts';
import { endWords, isByEarlierRuns, refusalWords } from './run-words.ts';
import type { GraphNode, SequenceGraph, Simulation, SimulationInput } from './sequence-queries.ts';
import classes from './sequences.module.css';
import { SimulatedMail } from './simulated-mail.tsx';
import { type FailingMails, isSent, stepWords } from './simulation-words.ts';

interface Given {
  readonly graph: Pick<SequenceGraph, 'nodes' | 'triggers'>;
  readonly simulation: Pick<Simulation, 'path'>;
  readonly failing: FailingMails;
  /** What was simulated, for its mails to be shown; undefined: they are not. */
  readonly input?: SimulationInput | undefined;
  /** It comes into view, since it lies below what it was asked for with. */
  readonly isAsked: boolean;
  readonly onSelect: (nodeId: string) => void;
}

/** How a simulation went, step by step, with its mails. */
export function SimulationPanel({ graph, simulation, failing, input, isAsked, onSelect }: Given): ReactNode {
  const { path } = simulation;
  const [shown, setShown] = useState<GraphNode>();
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAsked) top.current?.scrollIntoView({ block: 'nearest' });
  }, [simulation, isAsked]);
  const words = (id: string): string => {
    const node = graph.nodes.find((one) => one.id === id);
    return node ? nodeWords(node, graph.triggers) : id;
  };
  return (
    <div ref={top}>
      <Panel title={`Path (${path.length} steps)`} flush>
        <ol className={classes.way}>
          {path.map((step, index) => {
            const { nodeId, kind } = step;
            const node = graph.nodes.find(({ id }) => id === nodeId);
            const says = failing.get(nodeId) ?? stepWords(step, node);
            return (
              <li key={index} className={classes.wayStep}>
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
                {input && node && isSent(step) ? (
                  <Tooltip label="View email">
                    <ActionIcon aria-label={`View email of ${nodeId}`} onClick={() => setShown(node)}>
                      <IconEye size={15} />
                    </ActionIcon>
                  </Tooltip>
                ) : null}
              </li>
            );
          })}
        </ol>
      </Panel>
      {input ? <SimulatedMail node={shown} input={input} onClose={() => setShown(undefined)} /> : null}
    </div>
  );
}

interface SummaryGiven {
  readonly failing: FailingMails;
  readonly simulation: Simulation;
  /** Something else is set now. */
  readonly isOld: boolean;
  /** Simulates again as if the contact had never entered. */
  readonly onAsIfNotEnrolled: () => void;
}

/** How a simulation ended, in one line. */
export function SimulationSummary({ simulation, failing, isOld, onAsIfNotEnrolled }: SummaryGiven): ReactNode {
  const { path, sends, endedBy, refusal } = simulation;
  const failed = path.filter(({ nodeId }) => failing.has(nodeId)).length;
  const mails = sends.length === 0 ? 'no emails' : `${sends.length} email${sends.length === 1 ? '' : 's'}: ${sends.join(', ')}`;
  return (
    <>
      <Text size="sm" role="status">
        <b>{endWords(endedBy)}</b>
        {': '}
        <Text span inherit c="dimmed">
          {refusal ? refusalWords(refusal.reason) : `${path.length} steps, ${mails}${failed > 0 ? `, of which ${failed} would fail` : ''}`}
        </Text>
        {isOld ? (
          <Text span inherit fw={500}>
            . Changed since the last simulation. Run it again
          </Text>
        ) : null}
      </Text>
      {isByEarlierRuns(refusal?.reason) && !isOld ? (
        <Button variant="default" size="compact-xs" onClick={onAsIfNotEnrolled}>
          Simulate ignoring earlier runs
        </Button>
      ) : null}
    </>
  );
}
