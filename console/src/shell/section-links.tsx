import { NavLink } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { isWithin, type Section, sections } from '../pages/index.ts';
import { useSession } from '../session/session.tsx';
import classes from './shell.module.css';

/** The navigation: what the key may see. What one is about to open is read beforehand. */
export function SectionLinks(): ReactNode {
  const { may } = useSession();
  const [location] = useLocation();
  const queries = useQueryClient();
  const offered = sections.filter(({ scope }) => !scope || may(scope));
  useLoadedWhenIdle(offered);
  return offered.map((section) => {
    const { path, label, icon: Icon, pages } = section;
    const isCurrent = isWithin(location, section);
    const prepare = async (): Promise<void> => {
      if (isCurrent) return;
      await pages.load();
      const code = pages.code.get();
      if (code.state === 'loaded') code.module.prefetch?.(queries);
    };
    return (
      <NavLink
        key={path}
        component={Link}
        href={path}
        label={label}
        active={isCurrent}
        aria-current={isCurrent ? 'page' : undefined}
        leftSection={<Icon size={17} stroke={1.6} />}
        className={classes.link}
        onMouseEnter={prepare}
        onFocus={prepare}
        onTouchStart={prepare}
        onClick={prepare}
      />
    );
  });
}

/** Loads the code of the sections one after the other while there is nothing else to do. */
function useLoadedWhenIdle(offered: readonly Section[]): void {
  const waiting = offered.map(({ path }) => path).join();
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      for (const { pages } of sections.filter(({ path }) => waiting.split(',').includes(path))) {
        await idle();
        if (isOver) return;
        await pages.load();
      }
    };
    void load();
    return () => {
      isOver = true;
    };
  }, [waiting]);
}

/** At least this long one has to be idle where the browser does not tell. */
const IDLE_MS = 200;

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(resolve, { timeout: 5_000 });
    else setTimeout(resolve, IDLE_MS);
  });
}
