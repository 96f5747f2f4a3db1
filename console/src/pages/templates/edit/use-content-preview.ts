import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { asFailure, type Issue } from '../../../api/failure.ts';
import { type ContentDraft, contentOf, previewable } from '../content-draft.ts';
import { askedLanguage, type Edition, type MailData, type Preview, templatePreviewQuery } from '../template-queries.ts';

const TYPING_MS = 400;
const NO_ISSUES: readonly Issue[] = [];
const NO_PATHS: readonly string[] = [];

interface Given {
  /** Of the template. */
  readonly key: string;
  readonly edition: Edition;
  readonly data: MailData;
  /** undefined: what is stored is shown. */
  readonly draft: ContentDraft | undefined;
  readonly ownSubject: string;
  /** '' for the sample. */
  readonly contactId: string;
  /** A variable is typed, and no Liquid before it ends: the mail waits for it, and nothing is said to be wrong. */
  readonly isHalfTyped: boolean;
}

interface ContentPreview {
  /** While what is typed cannot be rendered, the mail as it was stays in sight. */
  readonly preview: Preview | undefined;
  readonly isChanging: boolean;
  readonly error: unknown;
  readonly refetch: () => void;
  /** Paths that the mail reads and the data does not have. */
  readonly missing: readonly string[];
  /** What keeps the content from being rendered, by its places. */
  readonly refused: readonly Issue[];
}

/** The mail as it would be with what is typed, a moment after the last letter. */
export function useContentPreview({ key, edition, data, draft, ownSubject, contactId, isHalfTyped }: Given): ContentPreview {
  const asked = useMemo(
    () =>
      JSON.stringify({
        data,
        ...(draft ? { content: contentOf(previewable(draft)), marks: true, subject: draft.subject.trim() || ownSubject } : {}),
        contactId: contactId || undefined,
      }),
    [data, draft, ownSubject, contactId],
  );
  const [paused] = useDebouncedValue(asked, TYPING_MS);
  const [settled, setSettled] = useState(asked);
  // Not what it was in a pause within a variable: that is over as soon as the variable is, and the text another.
  if (!isHalfTyped && paused === asked && settled !== asked) setSettled(asked);
  const previewed = useMemo(() => JSON.parse(settled), [settled]);
  const read = useQuery(templatePreviewQuery(key, { ...previewed, brand: edition.brand, locale: askedLanguage(edition) }));
  const [lastGood, setLastGood] = useState(read.data);
  if (read.data && read.data !== lastGood) setLastGood(read.data);
  const failure = read.error ? asFailure(read.error) : undefined;
  return {
    preview: read.data ?? lastGood,
    isChanging: read.isFetching || (!isHalfTyped && asked !== settled),
    error: read.error,
    refetch: read.refetch,
    missing: read.data?.missing ?? NO_PATHS,
    refused: failure?.details.code === 'invalid_content' ? (failure.details.issues ?? NO_ISSUES) : NO_ISSUES,
  };
}
