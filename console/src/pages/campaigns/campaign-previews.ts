import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MailSubject } from '../templates/subject-choice.tsx';
import { type MailData, templatePreviewQuery } from '../templates/template-queries.ts';

const TYPING_MS = 400;

/** The mail of a campaign as it is written. */
export interface WrittenMail {
  readonly template: string | null;
  readonly brand: string | undefined;
  readonly data: MailData;
  /** One, or those of the variants. */
  readonly subjects: readonly MailSubject[];
}

export type CampaignPreviews = ReturnType<typeof useCampaignPreviews>;

/** The mail as it would go out now, once for each of its subjects. `isBehind`: something else is written by now. */
export function useCampaignPreviews({ template, brand, data, subjects }: WrittenMail) {
  const asked = JSON.stringify({ data, subjects });
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const previewed = useMemo(() => JSON.parse(settled) as Pick<WrittenMail, 'data' | 'subjects'>, [settled]);
  const previews = useQueries({
    queries: previewed.subjects.map(({ subject }) => ({
      ...templatePreviewQuery(template ?? '', { data: previewed.data, subject, brand, version: 'published' }),
      enabled: template !== null,
    })),
  });
  return { previews, subjects: previewed.subjects, isBehind: asked !== settled };
}
