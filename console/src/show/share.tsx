import { Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { percent, percentWords } from './percent.ts';
import classes from './share.module.css';

/** What large providers take it ill above, in percent of the mails that were sent. */
export const MOST_BOUNCED = 2;
export const MOST_COMPLAINED = 0.1;
/** Of all mails, in percent: more is nobody's mistyped address. */
export const MOST_FAILED = 5;

/** Whether a part of a whole is more than so many percent of it. */
export function isAbove(part: number, whole: number, most: number): boolean {
  return whole > 0 && (100 * part) / whole > most;
}

interface Given {
  readonly part: number;
  readonly whole: number;
  /** Above so many percent it is marked. */
  readonly most?: number | undefined;
  /** What follows from that. */
  readonly harm?: string | undefined;
}

/** A part of a whole in percent, in small letters. */
export function Share({ part, whole, most = 100, harm = 'which hurts your sender reputation' }: Given): ReactNode {
  const isTooMuch = isAbove(part, whole, most);
  const told = `Above ${percentWords(most)}, ${harm}`;
  return (
    <Text
      span
      size="xs"
      c={isTooMuch ? undefined : 'dimmed'}
      className={isTooMuch ? classes.tooMuch : undefined}
      title={isTooMuch ? told : undefined}
    >
      {isTooMuch ? <IconAlertTriangle size={12} role="img" aria-label={told} /> : null}
      {percent(part, whole)}
    </Text>
  );
}
