import { Anchor, Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconChevronLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Clamped } from '../show/clamped.tsx';
import classes from './page.module.css';

interface Given {
  /** Of the page and its tab. undefined while it is not known yet. */
  readonly title: string | undefined;
  /** Which of several pages about it this is, for the tab. */
  readonly part?: string | undefined;
  /** Beside the title: a status, a count. */
  readonly beside?: ReactNode;
  /** One line below it. */
  readonly description?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  /** It is long, and what is done at its end is among the actions: they and the title stay in view. */
  readonly isLong?: boolean;
  /** The list that this page is one of. */
  readonly back?: { readonly to: string; readonly label: string };
  /** It has a canvas: as wide as the window rather than as lines can be read. */
  readonly isWide?: boolean;
  /** It has one column more than others: wider where the window is. */
  readonly isBroad?: boolean;
  readonly children: ReactNode;
}

/** Every page: its title, what can be done here, and its content. */
export function Page({
  title,
  part,
  beside,
  description,
  actions,
  isLong = false,
  back,
  isWide = false,
  isBroad = false,
  children,
}: Given): ReactNode {
  useDocumentTitle([title && part, title, 'Everpost'].filter(Boolean).join(' · '));
  const described = description ? (
    <Text size="sm" c="dimmed" className={classes.description}>
      {description}
    </Text>
  ) : null;
  return (
    <Box className={classes.page} data-wide={isWide || undefined} data-broad={isBroad || undefined}>
      <header className={classes.header} data-long={isLong || undefined}>
        {back ? (
          <Anchor component={Link} href={back.to} size="sm" c="dimmed" className={classes.back}>
            <IconChevronLeft size={14} aria-hidden />
            <Clamped lines={1}>{back.label}</Clamped>
          </Anchor>
        ) : null}
        <Group justify="space-between" align="flex-start" gap="sm" className={isLong ? classes.bar : undefined}>
          <Box miw={0} flex="1 1 200px">
            <Group gap="0 var(--mantine-spacing-sm)" mih={30}>
              {title === undefined ? (
                <Skeleton h={24} w={220} />
              ) : (
                <Title order={1} className={classes.title}>
                  <Clamped>{title}</Clamped>
                </Title>
              )}
              {beside ? (
                <Group gap="sm" className={classes.beside}>
                  {beside}
                </Group>
              ) : null}
            </Group>
            {isLong ? null : described}
          </Box>
          {actions ? <Group gap="xs">{actions}</Group> : null}
        </Group>
        {isLong && described ? <div className={classes.described}>{described}</div> : null}
      </header>
      <Stack gap="md">{children}</Stack>
    </Box>
  );
}
