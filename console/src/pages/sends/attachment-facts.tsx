import { Anchor, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { Fact } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import type { SendWithEvents } from './send-queries.ts';

/** The files of a mail, each to be saved. */
export function AttachmentFacts({ send }: { readonly send: SendWithEvents }): ReactNode {
  if (send.attachments.length === 0) return null;
  return (
    <Fact name="Attachments">
      {send.attachments.map((attachment) => (
        <Attachment key={attachment.number} sendId={send.id} attachment={attachment} />
      ))}
    </Fact>
  );
}

interface Given {
  readonly sendId: string;
  readonly attachment: Schemas['SentAttachment'];
}

/** The key goes with a call and with no link, so the bytes are fetched before they are saved. */
function Attachment({ sendId, attachment: { number, filename, content_type, content_id, size } }: Given): ReactNode {
  const download = useMutation({
    mutationFn: async () => {
      const path = { id: sendId, number: String(number) };
      const bytes = await answerOf(api.GET('/sends/{id}/attachments/{number}', { params: { path }, parseAs: 'blob' }));
      save(bytes as Blob, filename);
    },
  });
  return (
    <div>
      <Anchor
        component="button"
        type="button"
        inherit
        ta="start"
        style={{ overflowWrap: 'anywhere' }}
        onClick={() => download.mutate()}
        disabled={download.isPending}
        aria-label={`Download ${filename}`}
      >
        {filename}
      </Anchor>
      <Text size="xs" c="dimmed">
        {[content_type, sizeWords(size), ...(content_id === null ? [] : ['shown in the email'])].join(', ')}
      </Text>
      {download.error ? <FailureNotice error={download.error} /> : null}
    </div>
  );
}

function save(bytes: Blob, filename: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = filename;
  link.click();
  URL.revokeObjectURL(link.href);
}

function sizeWords(size: number): string {
  if (size < 1_000) return `${size} bytes`;
  return size < 1_000_000 ? `${Math.round(size / 1_000)} KB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
