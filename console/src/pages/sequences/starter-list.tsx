import { Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { PanelSkeleton } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { startersQuery } from './sequence-queries.ts';
import classes from './sequences.module.css';

/** In the address in place of the key of a starter. */
export const ALL_STARTERS = 'all';

/** Sequences that are ready to be taken over. */
export function StarterList(): ReactNode {
  const { data, error, refetch } = useQuery(startersQuery());
  return (
    <Page
      title="Sequence templates"
      description="Start from a proven flow. It begins as a draft that you can adapt"
      back={{ to: '/', label: 'Sequences' }}
    >
      {error && !data ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data || error ? null : <PanelSkeleton lines={6} />}
      <ul className={classes.starters}>
        {data?.map(({ key, name, description, mails }) => (
          <li key={key}>
            <Paper component={Link} href={`?starter=${key}`} withBorder radius="lg" className={classes.starter}>
              <Title order={2} size="h5">
                {name}
              </Title>
              <Text size="sm">{description}</Text>
              <Text size="xs" c="dimmed">
                {mails} email steps
              </Text>
            </Paper>
          </li>
        ))}
      </ul>
    </Page>
  );
}
