import { Alert, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Outcome } from './enrolling.ts';
import classes from './sequences.module.css';

interface Given {
  readonly outcomes: readonly Outcome[];
  /** While they are enrolled, one after the other. */
  readonly total: number | undefined;
  /** The one that was chosen needs no name. */
  readonly isOne: boolean;
}

/** Who has entered, and who has not and why. */
export function EnrollResults({ outcomes, total, isOne }: Given): ReactNode {
  const entered = outcomes.filter(({ refusal }) => refusal === undefined);
  const refused = outcomes.filter(({ refusal }) => refusal !== undefined);
  const title = titleOf(entered.length, refused.length, isOne);
  return (
    <div role="status">
      {total !== undefined && total > 1 ? (
        <Text size="sm" c="dimmed">
          {outcomes.length} of {total}…
        </Text>
      ) : null}
      {total === undefined && outcomes.length > 0 ? (
        <Alert color={refused.length > 0 ? 'orange' : 'teal'} title={title}>
          {refused.length > 0 ? (
            <List size="sm" className={classes.refused} tabIndex={0} aria-label="Not enrolled">
              {refused.map(({ who, refusal }) => (
                <List.Item key={who}>
                  {isOne ? null : `${who}: `}
                  {refusal?.words}
                </List.Item>
              ))}
            </List>
          ) : null}
        </Alert>
      ) : null}
    </div>
  );
}

function titleOf(entered: number, refused: number, isOne: boolean): string {
  if (isOne && refused > 0) return 'Not enrolled';
  const title = entered === 0 ? 'Nobody enrolled' : `${entered} enrolled`;
  return refused > 0 ? `${title}, ${refused} not` : title;
}
