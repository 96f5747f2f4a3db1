import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fact } from '../../frame/detail.tsx';
import { isOn, topicsQuery } from '../topics/topic-queries.ts';
import type { ContactWithConsent } from './contact-queries.ts';

/** What a contact gets of each topic, and whether that is its choice. Nothing where the project has no topics. */
export function TopicsFact({ topics: choices }: Pick<ContactWithConsent, 'topics'>): ReactNode {
  const { data: topics = [] } = useQuery(topicsQuery());
  if (topics.length === 0) return null;
  return (
    <Fact name="Topics">
      {topics.map((topic) => (
        <div key={topic.key}>
          {topic.name}: {isOn(topic, choices) ? 'on' : 'off'}
          {Object.hasOwn(choices, topic.key) ? '' : ' (default)'}
        </div>
      ))}
    </Fact>
  );
}
