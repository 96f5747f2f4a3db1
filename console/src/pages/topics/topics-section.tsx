import { Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../frame/form.tsx';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { DeleteTopic } from './delete-topic.tsx';
import { TopicForm } from './topic-form.tsx';
import { type Topic, topicsQuery } from './topic-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(topicsQuery());
}

/** What people choose to get or not. */
export default function TopicsSection(): ReactNode {
  const { may } = useSession();
  const [edited, setEdited] = useState<Topic | 'new'>();
  const [deleted, setDeleted] = useState<Topic>();
  const { data, error, refetch } = useQuery(topicsQuery());
  const isEditable = may('POST /topics');
  const close = (): void => setEdited(undefined);
  const topic = edited === 'new' ? undefined : edited;
  const add = (
    <Button leftSection={<IconPlus size={14} />} onClick={() => setEdited('new')}>
      Add topic
    </Button>
  );
  return (
    <Page
      title="Topics"
      description="What people choose to get, on the page that the unsubscribe link opens"
      actions={isEditable ? add : <ReadsOnly things="topics" doing="changing" operation="POST /topics" />}
    >
      <List
        label="Topics"
        columns={columnsFor(isEditable ? { onEdit: setEdited, onDelete: setDeleted } : undefined)}
        rows={data}
        rowKey={({ key }) => key}
        error={error}
        onRetry={refetch}
        empty={{
          title: 'No topics yet',
          text: 'Without topics people can only unsubscribe from everything. With topics they turn off what they do not want, and stay.',
        }}
      />
      <FormDialog opened={edited !== undefined} onClose={close} title={topic ? `Edit ${topic.name}` : 'Add topic'}>
        <TopicForm topic={topic} taken={(data ?? []).map(({ key }) => key)} onClose={close} />
      </FormDialog>
      <DeleteTopic topic={deleted} onClose={() => setDeleted(undefined)} />
    </Page>
  );
}

interface Deeds {
  readonly onEdit: (topic: Topic) => void;
  readonly onDelete: (topic: Topic) => void;
}

function columnsFor(deeds: Deeds | undefined): readonly Column<Topic>[] {
  const columns: readonly Column<Topic>[] = [
    { title: 'Topic', hasTwoLines: true, cell: (topic) => <TopicName topic={topic} /> },
    {
      title: 'Description',
      wideOnly: true,
      width: '34%',
      cell: ({ description }) => (
        <Text inherit c="dimmed" truncate title={description || undefined}>
          {description || 'None'}
        </Text>
      ),
    },
    { title: 'By default', width: 90, cell: ({ defaultOn }) => (defaultOn ? 'On' : 'Off') },
    { title: 'Offered to', wideOnly: true, width: 150, cell: (topic) => (topic.public ? 'Everyone' : 'Those who get it') },
  ];
  if (!deeds) return columns;
  const actions: Column<Topic> = {
    title: 'Action',
    width: 150,
    align: 'right',
    cell: (topic) => (
      <Group gap={6} wrap="nowrap" justify="flex-end">
        <Button variant="default" size="compact-xs" aria-label={`Edit ${topic.name}`} onClick={() => deeds.onEdit(topic)}>
          Edit…
        </Button>
        <Button variant="default" size="compact-xs" aria-label={`Delete ${topic.name}`} onClick={() => deeds.onDelete(topic)}>
          Delete…
        </Button>
      </Group>
    ),
  };
  return [...columns, actions];
}

function TopicName({ topic: { name, key } }: { readonly topic: Topic }): ReactNode {
  return (
    <>
      <Text inherit fw={500} truncate title={name}>
        {name}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace" truncate>
        {key}
      </Text>
    </>
  );
}
