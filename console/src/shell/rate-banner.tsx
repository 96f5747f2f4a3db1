import { IconHourglass } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { waitsUntil } from '../api/client.ts';
import { useStore } from '../api/store.ts';
import classes from './shell.module.css';

/** A shorter wait is over before it is read. */
const WORTH_TELLING_MS = 1_500;

/** Says that calls wait because there were too many, and for how long. They are made again by themselves: query-client.ts. */
export function RateBanner(): ReactNode {
  const until = useStore(waitsUntil);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    if (until <= Date.now()) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    const end = setTimeout(() => waitsUntil.set(0), until - Date.now());
    return () => {
      clearInterval(timer);
      clearTimeout(end);
    };
  }, [until]);
  const seconds = Math.ceil((until - now) / 1000);
  const [isTold, setIsTold] = useState(false);
  useEffect(() => setIsTold(until - Date.now() >= WORTH_TELLING_MS), [until]);
  return (
    <div role="status">
      {isTold && seconds > 0 ? (
        <div className={classes.banner}>
          <IconHourglass size={16} aria-hidden />
          Too many requests: other apps share this limit. Retrying in {seconds} s. Nothing you typed is lost.
        </div>
      ) : null}
    </div>
  );
}
