import { Stack, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fact, Facts } from '../../frame/detail.tsx';
import { PreviewFrame } from '../../show/preview-frame.tsx';
import { SavedMeanwhile } from '../../show/saved-meanwhile.tsx';
import { PreviewNotes } from './preview-notes.tsx';
import {
  type MailData,
  partsOf,
  type StoredContent,
  type Subjects,
  shownOf,
  shownSubject,
  type TemplateContent,
  templatePreviewQuery,
  versionsOf,
} from './template-queries.ts';

/** Wide enough for the desktop. */
const MAIL_WIDTH = 680;

interface ShownGiven {
  readonly templateKey: string;
  readonly brand: string | undefined;
  /** For the picture of theirs. */
  readonly data: MailData;
  readonly theirs: StoredContent;
  readonly subjects: Subjects;
  readonly mine: TemplateContent;
}

interface Given extends ShownGiven {
  /** What was asked for when nothing was saved; to replace theirs does the same. */
  readonly isPublishing: boolean;
  readonly isSaving: boolean;
  /** Saves all the same. */
  readonly onReplace: () => void;
  /** Goes on with what they saved. */
  readonly onTake: () => void;
}

/** Nothing was saved, since someone else saved this template: shows theirs, and asks which is to stay. */
export function ChangedMeanwhile({ isPublishing, isSaving, onReplace, onTake, ...shown }: Given): ReactNode {
  const { draft, published } = versionsOf(shown.theirs);
  const there =
    draft > published
      ? 'There is now another draft.'
      : shown.theirs.published
        ? `Version ${shown.theirs.published.publication} is now published.`
        : 'The previous version is gone.';
  return (
    <SavedMeanwhile
      title="Someone else saved this template"
      says={`${there} Your changes are still here and not saved yet.`}
      theirs={{
        title: 'Their version',
        size: MAIL_WIDTH + 48,
        content: <Theirs {...shown} />,
      }}
      onTake={onTake}
      onReplace={onReplace}
      replace={isPublishing ? 'Publish mine instead' : 'Save mine as the draft'}
      isSaving={isSaving}
    />
  );
}

function Theirs({ templateKey, brand, data, theirs, subjects, mine }: ShownGiven): ReactNode {
  const scheme = useComputedColorScheme('light');
  const content = shownOf(theirs);
  const subject = shownSubject(theirs, subjects);
  const { data: preview, error, refetch } = useQuery(templatePreviewQuery(templateKey, { data, brand, content, subject }));
  const [preheader, ofMine] = [partsOf(content).preheader, partsOf(mine).preheader];
  return (
    <Stack gap="sm">
      <PreviewNotes preview={preview} error={error} onRetry={refetch} />
      <Facts>
        <Fact name="Subject">{preview?.subject}</Fact>
        <Fact name="Preheader">{preheader}</Fact>
        {preheader === ofMine ? null : <Fact name="Your preheader">{ofMine}</Fact>}
      </Facts>
      {preview ? <PreviewFrame html={preview.html} width={MAIL_WIDTH} scheme={scheme} title="Their email" /> : null}
    </Stack>
  );
}
