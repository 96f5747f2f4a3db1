import { UnstyledButton } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import type { Problem } from './problems.ts';
import classes from './sequences.module.css';

interface Given {
  readonly problems: readonly Problem[];
  /** undefined: the settings beside the steps. */
  readonly onSelect: (nodeId: string | undefined) => void;
  /** Whether such settings can be shown. */
  readonly hasSettings?: boolean;
  /** What a step is called here; its id when omitted. */
  readonly nameOf?: (nodeId: string) => string;
}

const byId = (nodeId: string): string => nodeId;

/** All that is wrong with a graph, each with its node; nothing when there is nothing. */
export function ProblemsPanel({ problems, onSelect, hasSettings = false, nameOf = byId }: Given): ReactNode {
  if (problems.length === 0) return null;
  const isRefused = problems.some(({ kind }) => kind === 'problem');
  return (
    <div role={isRefused ? 'alert' : undefined}>
      <Panel title={isRefused ? `Not saved: ${count(problems.length, 'problem')}` : count(problems.length, 'warning')} flush>
        <ul className={classes.steps}>
          {problems.map(({ kind, nodeId, message }) => (
            <li key={`${nodeId} ${message}`}>
              {nodeId === undefined && !hasSettings ? (
                <div className={classes.problem}>
                  <IconAlertTriangle size={15} data-kind={kind} aria-hidden />
                  <span>{message}</span>
                </div>
              ) : (
                <UnstyledButton className={`${classes.problem} ${classes.step}`} onClick={() => onSelect(nodeId)}>
                  <IconAlertTriangle size={15} data-kind={kind} aria-hidden />
                  <span>
                    {nodeId === undefined ? null : <b>{nameOf(nodeId)} </b>}
                    {message}
                  </span>
                </UnstyledButton>
              )}
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
