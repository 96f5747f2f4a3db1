import { Alert, Button, Group, Modal, Text, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { PreviewFrame } from '../../show/preview-frame.tsx';
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
  const [isShown, setIsShown] = useState(false);
  const { draft, published } = versionsOf(theirs);
  return (
    <Alert color="orange" role="alert" title="Somebody else has saved meanwhile">
      <Text size="sm">
        {draft > published
          ? `There is another draft now, version ${draft}.`
          : published > 0
            ? `Version ${published} is published now.`
            : 'What was saved before is gone.'}{' '}
        Yours is not saved yet, and still here.
      </Text>
      <Group mt="xs" gap="xs">
        <Button variant="default" onClick={() => setIsShown(true)}>
          See theirs
        </Button>
        <Button variant="default" onClick={onTake}>
          Discard mine
        </Button>
        <Button variant="default" loading={isSaving} onClick={onReplace}>
          Save mine over it
        </Button>
      </Group>
      <Modal opened={isShown} onClose={() => setIsShown(false)} title="What somebody else has saved" size={760}>
        <Theirs templateKey={templateKey} brand={brand} data={data} theirs={theirs} />
      </Modal>
    </Alert>
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
