import { type ReactNode, useState } from 'react';
import { Warnings } from '../templates/preview-notes.tsx';
import { SubjectChoice } from '../templates/subject-choice.tsx';
import { TemplatePreview } from '../templates/template-preview.tsx';
import { useCampaignPreviews, type WrittenMail } from './campaign-previews.ts';

/** The mail as it would go out now, of one variant where there are several; what is wrong with another is told as well. */
export function CampaignPreview(mail: WrittenMail): ReactNode {
  const { template, subjects } = mail;
  const [variant, setVariant] = useState(0);
  // The last may have been taken out.
  const chosen = Math.min(variant, subjects.length - 1);
  const { previews, subjects: previewed, isBehind } = useCampaignPreviews(mail);
  const shown = Math.min(chosen, previews.length - 1);
  const preview = previews[shown];
  const isTold = new Set(preview?.data?.warnings?.map(({ message }) => message));
  const ofOthers = previews.flatMap(({ data: other }, place) => {
    const own = place === shown ? [] : (other?.warnings?.filter(({ message }) => !isTold.has(message)) ?? []);
    return own.map(({ message }) => ({ path: previewed[place]?.label ?? '', message }));
  });
  return (
    <TemplatePreview
      preview={template === null ? undefined : preview?.data}
      isChanging={template !== null && (preview?.isFetching === true || isBehind)}
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
