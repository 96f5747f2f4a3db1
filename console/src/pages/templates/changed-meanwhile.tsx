import { useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PreviewFrame } from '../../show/preview-frame.tsx';
import { SavedMeanwhile } from '../../show/saved-meanwhile.tsx';
import { PreviewNotes } from './preview-notes.tsx';
import { type MailData, type StoredContent, shownOf, templatePreviewQuery, versionsOf } from './template-queries.ts';

interface Given {
  readonly templateKey: string;
  readonly brand: string | undefined;
  /** For the picture of theirs. */
  readonly data: MailData;
  readonly theirs: StoredContent;
  readonly isSaving: boolean;
  /** Saves all the same. */
  readonly onReplace: () => void;
  /** Goes on with what they saved. */
  readonly onTake: () => void;
}

/** Nothing was saved, since somebody else has saved meanwhile: shows theirs, and asks which is to stay. */
export function ChangedMeanwhile({ templateKey, brand, data, theirs, isSaving, onReplace, onTake }: Given): ReactNode {
  const { draft, published } = versionsOf(theirs);
  const there =
    draft > published
      ? `There is another draft now, version ${draft}.`
      : published > 0
        ? `Version ${published} is published now.`
        : 'What was saved before is gone.';
  return (
    <SavedMeanwhile
      title="Somebody else has saved meanwhile"
      says={`${there} Yours is not saved yet, and still here.`}
      theirs={{
        title: 'What somebody else has saved',
        size: 760,
        content: <Theirs templateKey={templateKey} brand={brand} data={data} theirs={theirs} />,
      }}
      onTake={onTake}
      onReplace={onReplace}
      isSaving={isSaving}
    />
  );
}

function Theirs({ templateKey, brand, data, theirs }: Pick<Given, 'templateKey' | 'brand' | 'data' | 'theirs'>): ReactNode {
  const scheme = useComputedColorScheme('light');
  const { data: preview, error, refetch } = useQuery(templatePreviewQuery(templateKey, { data, brand, content: shownOf(theirs) }));
  return (
    <>
      <PreviewNotes preview={preview} error={error} onRetry={refetch} />
      {preview ? <PreviewFrame html={preview.html} width={680} scheme={scheme} title="Their mail" /> : null}
    </>
  );
}
