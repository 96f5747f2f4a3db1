import { useComputedColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { PreviewFrame } from '../../show/preview-frame.tsx';
import { PreviewNotes } from '../templates/preview-notes.tsx';
import { type MailData, templatePreviewQuery } from '../templates/template-queries.ts';

const TYPING_MS = 400;
const PHONE_WIDTH = 375;

interface Given {
  readonly template: string;
  readonly brand: string | undefined;
  readonly data: MailData;
}

/** The mail as it would go out now, on a phone. */
export function CampaignPreview({ template, brand, data }: Given): ReactNode {
  const scheme = useComputedColorScheme('light');
  const [settled] = useDebouncedValue(JSON.stringify(data), TYPING_MS);
  const asked = useMemo(() => JSON.parse(settled) as MailData, [settled]);
  const { data: preview, error, refetch } = useQuery(templatePreviewQuery(template, { data: asked, brand, version: 'published' }));
  return (
    <Panel title="Preview">
      <PreviewNotes preview={preview} error={error} onRetry={refetch} />
      {preview && !error ? <PreviewFrame html={preview.html} width={PHONE_WIDTH} scheme={scheme} title="Preview of the mail" /> : null}
    </Panel>
  );
}
