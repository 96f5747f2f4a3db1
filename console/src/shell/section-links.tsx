import { NavLink } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { isWithin, type Section, sections, sectionsFor } from '../pages/index.ts';
import { useSession } from '../session/session.tsx';
import classes from './shell.module.css';

/** The navigation: what the key may see. What one is about to open is read beforehand. */
export function SectionLinks(): ReactNode {
  const { may } = useSession();
  const [location] = useLocation();
  const queries = useQueryClient();
  const offered = sectionsFor(may);
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
        leftSection={<Icon size={17} stroke={1.6} aria-hidden />}
        className={classes.link}
        onMouseEnter={prepare}
        onFocus={prepare}
        onTouchStart={prepare}
        onClick={prepare}
      />
    );
  });
}

/** Loads the code of the sections one after the other, while the page that is shown has nothing to read. */
function useLoadedWhenIdle(offered: readonly Section[]): void {
  const queries = useQueryClient();
  const waiting = offered.map(({ path }) => path).join();
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      for (const { pages } of sections.filter(({ path }) => waiting.split(',').includes(path))) {
        do await idle();
        while (queries.isFetching() > 0 && !isOver);
        if (isOver) return;
        await pages.load();
      }
    };
    void load();
    return () => {
      isOver = true;
    };
  }, [waiting, queries]);
}

const LOOK_AGAIN_MS = 100;

/** A while without anything to do, as far as the browser tells. */
async function idle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  if ('requestIdleCallback' in window) await new Promise((resolve) => window.requestIdleCallback(resolve, { timeout: 5_000 }));
}
