import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataOf, samplesOf } from '../templates/data-fields.tsx';
import { templatePreviewQuery, templateSchemaQuery } from '../templates/template-queries.ts';
import type { Campaign } from './campaign-queries.ts';

/** The subject as one reads it, with the samples of its template; as it was written where that cannot be rendered any more, and on hover. */
export function SampleSubject({ campaign: { template, brand_id: brand, subject } }: { readonly campaign: Campaign }): ReactNode {
  const isLiquid = /\{[{%]/.test(subject);
  const { data: schema } = useQuery({ ...templateSchemaQuery(template, brand), enabled: isLiquid });
  const fields = schema?.dataSchema ?? [];
  const { data } = dataOf(fields, samplesOf(fields));
  const { data: preview } = useQuery({
    ...templatePreviewQuery(template, { data, brand, subject, version: 'published' }),
    enabled: isLiquid && schema !== undefined,
    placeholderData: undefined,
    retry: false,
  });
  if (!isLiquid || !preview) return subject;
  return (
    <>
      <span title={subject}>{preview.subject}</span>
      <Text size="xs" c="dimmed">
        With the samples of the template
      </Text>
    </>
  );
}
