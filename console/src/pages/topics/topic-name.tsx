import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { topicsQuery } from './topic-queries.ts';

/** What a topic is called; its key where it is gone. */
export function TopicName({ topic }: { readonly topic: string }): ReactNode {
  const { data } = useQuery(topicsQuery());
  return data?.find(({ key }) => key === topic)?.name ?? topic;
}
