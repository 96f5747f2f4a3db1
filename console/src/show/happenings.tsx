import { Group, Text, Timeline } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './happenings.module.css';
import { Time } from './time.tsx';

export interface HappeningProps {
  readonly icon: Icon;
  readonly at: string;
  /** In place of how long ago that was. */
  readonly time?: ReactNode;
  /** What happened, in a few words. */
  readonly words: ReactNode;
  /** More about it, in small letters. */
  readonly more?: ReactNode;
  readonly isBad?: boolean;
  readonly children?: ReactNode;
}

/** What happened to something, one after the other; its children are of HappeningProps. */
export function Happenings<T>({
  of,
  keyOf,
  show,
}: {
  readonly of: readonly T[];
  readonly keyOf: (one: T) => string;
  readonly show: (one: T) => HappeningProps;
}): ReactNode {
  return (
    <Timeline bulletSize={24} lineWidth={1} active={-1} className={classes.timeline} role="list">
      {of.map((one) => {
        const { icon: ItsIcon, at, time = <Time at={at} />, words, more, isBad = false, children } = show(one);
        return (
          <Timeline.Item key={keyOf(one)} role="listitem" bullet={<ItsIcon size={13} stroke={1.8} />} data-tone={isBad ? 'bad' : undefined}>
            <Group justify="space-between" wrap="nowrap" align="flex-start" gap="md">
              <Text size="sm" className={classes.words}>
                {words}
              </Text>
              <Text size="xs" c="dimmed" className={classes.time}>
                {time}
              </Text>
            </Group>
            {more ? (
              <Text size="xs" c="dimmed" className={classes.words}>
                {more}
              </Text>
            ) : null}
            {children}
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}
