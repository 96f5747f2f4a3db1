import { Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { clockWords, dayWords, exactTime } from '../../show/time.tsx';

interface Given {
  readonly at: string;
  /** What came before: the day is told where it is another one, and how much later it was. */
  readonly after?: string | undefined;
}

/** When something of several was, by the clock of the reader's own zone. */
export function Moment({ at, after }: Given): ReactNode {
  const [now, then] = [new Date(at), after === undefined ? undefined : new Date(after)];
  const isSameDay = then !== undefined && dayWords(then) === dayWords(now);
  return (
    <Tooltip label={exactTime(at)}>
      <Text component="time" dateTime={at} inherit display={then ? 'block' : undefined} ta="right" style={{ whiteSpace: 'nowrap' }}>
        {isSameDay ? clockWords(now, true) : `${dayWords(now)} ${clockWords(now, true)}`}
        {then ? <Later ms={now.getTime() - then.getTime()} /> : null}
      </Text>
    </Tooltip>
  );
}

function Later({ ms }: { readonly ms: number }): ReactNode {
  return (
    <>
      <br />
      {laterWords(ms)}
    </>
  );
}

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const;

/** Like `12 s later` or `1 d 2 h later`, in its two largest units. */
export function laterWords(ms: number): string {
  const first = UNITS.findIndex((unit) => ms >= unit.ms);
  if (first === -1) return 'at once';
  const [larger, smaller] = UNITS.slice(first);
  const whole = Math.floor(ms / larger!.ms);
  const rest = smaller ? Math.floor((ms % larger!.ms) / smaller.ms) : 0;
  return `${whole} ${larger!.name}${rest > 0 ? ` ${rest} ${smaller!.name}` : ''} later`;
}
