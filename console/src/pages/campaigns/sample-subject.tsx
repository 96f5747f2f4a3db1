import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { templatePreviewQuery } from '../templates/template-queries.ts';
import type { CampaignWithData } from './campaign-queries.ts';

/** The subject as one reads it, with the data of the campaign and for a sample; as it was written where that cannot be rendered any more, and on hover. */
export function SampleSubject({
  campaign: { template, brand_id: brand, subject, data },
}: {
  readonly campaign: CampaignWithData;
}): ReactNode {
  const isLiquid = /\{[{%]/.test(subject);
  const { data: preview } = useQuery({
    ...templatePreviewQuery(template, { data, brand, subject, version: 'published' }),
    enabled: isLiquid,
    placeholderData: undefined,
    retry: false,
  });
  return isLiquid && preview ? <span title={subject}>{preview.subject}</span> : subject;
}
