import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Warnings } from '../templates/preview-notes.tsx';
import { type MailSubject, SubjectChoice } from '../templates/subject-choice.tsx';
import { TemplatePreview } from '../templates/template-preview.tsx';
import { type MailData, templatePreviewQuery } from '../templates/template-queries.ts';

const TYPING_MS = 400;

interface Given {
  readonly template: string | null;
  readonly brand: string | undefined;
  readonly data: MailData;
  /** One, or those of the variants. */
  readonly subjects: readonly MailSubject[];
}

/** The mail as it would go out now, of one variant where there are several; what is wrong with another is told as well. */
export function CampaignPreview({ template, brand, data, subjects }: Given): ReactNode {
  const [variant, setVariant] = useState(0);
  // The last may have been taken out.
  const chosen = Math.min(variant, subjects.length - 1);
  const asked = JSON.stringify({ data, subjects });
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const previewed = useMemo(() => JSON.parse(settled) as Pick<Given, 'data' | 'subjects'>, [settled]);
  const previews = useQueries({
    queries: previewed.subjects.map(({ subject }) => ({
      ...templatePreviewQuery(template ?? '', { data: previewed.data, subject, brand, version: 'published' }),
      enabled: template !== null,
    })),
  });
  const shown = Math.min(chosen, previews.length - 1);
  const preview = previews[shown];
  const isTold = new Set(preview?.data?.warnings?.map(({ message }) => message));
  const ofOthers = previews.flatMap(({ data: other }, place) => {
    const own = place === shown ? [] : (other?.warnings?.filter(({ message }) => !isTold.has(message)) ?? []);
    return own.map(({ message }) => ({ path: previewed.subjects[place]?.label ?? '', message }));
  });
  return (
    <TemplatePreview
      preview={template === null ? undefined : preview?.data}
      isChanging={template !== null && (preview?.isFetching === true || asked !== settled)}
      error={preview?.error}
      onRetry={() => void preview?.refetch()}
      first="phone"
      recipient={
        <>
          <SubjectChoice subjects={subjects} chosen={chosen} onChoose={setVariant} size="xs" />
          {ofOthers.length > 0 ? <Warnings warnings={ofOthers} placeWords={(variantOf) => `Variant ${variantOf}`} /> : null}
        </>
      }
      instead="Choose a template to see the email."
    />
  );
}
