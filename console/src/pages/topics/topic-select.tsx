import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { topicsQuery } from './topic-queries.ts';

interface Given {
  readonly value: string | null;
  readonly error: string | undefined;
  readonly onChange: (key: string | null) => void;
  readonly size?: 'xs';
}

/** Which topic an email is of. Nothing where the project has none, and none is set. */
export function TopicSelect({ value, error, onChange, size }: Given): ReactNode {
  const { data: topics = [] } = useQuery(topicsQuery());
  if (topics.length === 0 && value === null) return null;
  const known = topics.map(({ key, name }) => ({ value: key, label: name }));
  const data = value === null || topics.some(({ key }) => key === value) ? known : [...known, { value, label: `${value} (deleted)` }];
  return (
    <Select
      label="Topic"
      description="Sent only to people who have it on"
      placeholder="None: all marketing subscribers"
      {...(size && { size })}
      clearable
      data={data}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
