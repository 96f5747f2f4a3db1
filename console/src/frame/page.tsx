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
  /** Beside the title: a status, a count. */
  readonly beside?: ReactNode;
  /** One line below it. */
  readonly description?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  /** The list that this page is one of. */
  readonly back?: { readonly to: string; readonly label: string };
  readonly children: ReactNode;
}

/** Every page: its title, what can be done here, and its content. */
export function Page({ title, beside, description, actions, back, children }: Given): ReactNode {
  useDocumentTitle(title ? `${title} · Everpost` : 'Everpost');
  return (
    <Box className={classes.page}>
      <header className={classes.header}>
        {back ? (
          <Anchor component={Link} href={back.to} size="sm" c="dimmed" className={classes.back}>
            <IconChevronLeft size={14} aria-hidden />
            <Clamped lines={1}>{back.label}</Clamped>
          </Anchor>
        ) : null}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Box miw={0} flex="1 1 200px">
            <Group gap="sm" mih={30}>
              {title === undefined ? (
                <Skeleton h={24} w={220} />
              ) : (
                <Title order={1} className={classes.title}>
                  <Clamped>{title}</Clamped>
                </Title>
              )}
              {beside}
            </Group>
            {description ? (
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            ) : null}
          </Box>
          {actions ? <Group gap="xs">{actions}</Group> : null}
        </Group>
      </header>
      <Stack gap="md">{children}</Stack>
    </Box>
  );
}
