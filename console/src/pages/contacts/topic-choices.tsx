import { Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { isOn, topicsQuery } from '../topics/topic-queries.ts';
import type { ContactDraft } from './contact-draft.ts';

interface Given {
  readonly draft: ContactDraft;
  readonly onChange: (change: Partial<ContactDraft>) => void;
}

/** What the person wants of each topic. Nothing where the project has none. */
export function TopicChoices({ draft: { topics: choices }, onChange }: Given): ReactNode {
  const { data: topics = [] } = useQuery(topicsQuery());
  if (topics.length === 0) return null;
  return (
    <Panel title="Topics">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Change these only as the person asked you to. People choose for themselves on the page behind the unsubscribe link.
        </Text>
        {topics.map((topic) => (
          <Switch
            key={topic.key}
            size="sm"
            label={topic.name}
            description={topic.description || undefined}
            checked={isOn(topic, choices)}
            onChange={(event) => onChange({ topics: { ...choices, [topic.key]: event.currentTarget.checked } })}
          />
        ))}
      </Stack>
    </Panel>
  );
}
