import { Alert, Anchor, Button, Modal, Skeleton, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Clamped } from '../../show/clamped.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { PreviewFrame, WIDTHS } from '../../show/preview-frame.tsx';
import { SENDS } from './send-queries.ts';

interface Given {
  readonly sendId: string;
  /** Its subject, or what else it is called. */
  readonly title: string;
  /** Why it was never sent; absent for one that was. */
  readonly notSent?: string | undefined;
  /** Among many: a small button. */
  readonly isQuiet?: boolean;
}

/** Renders the mail again, on demand: the API keeps no mails. */
export function SentMail({ sendId, title, notSent, isQuiet = false }: Given): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => setIsOpen(true);
  return (
    <>
      {isQuiet ? (
        <Anchor component="button" type="button" size="xs" c="dimmed" onClick={open} aria-label={`Show email: ${title}`}>
          Show email
        </Anchor>
      ) : (
        <Button variant="default" leftSection={<IconMail size={14} />} onClick={open}>
          Show email
        </Button>
      )}
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={<Clamped>{title}</Clamped>} size={720}>
        <Stack gap="sm">
          {notSent ? (
            <Alert color="red" title="Failed">
              {notSent}. Below is what it would look like.
            </Alert>
          ) : null}
          <Rendered sendId={sendId} />
        </Stack>
      </Modal>
    </>
  );
}

function Rendered({ sendId }: { readonly sendId: string }): ReactNode {
  const scheme = useComputedColorScheme('light');
  const [width] = useState(() => (window.innerWidth < WIDTHS.desktop ? WIDTHS.phone : WIDTHS.desktop));
  const { data, error, refetch } = useQuery({
    queryKey: [...SENDS, sendId, 'mail'],
    queryFn: ({ signal }) => readMail(sendId, signal),
    staleTime: 0,
  });
  return (
    <Stack gap="sm">
      {data ? (
        <Text size="sm" c="dimmed">
          {madeWith(data)} Images from other hosts are left out.
        </Text>
      ) : null}
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data ? (
        <PreviewFrame title={`Email: ${data.subject}`} html={data.html} width={width} scheme={scheme} />
      ) : error ? null : (
        <Skeleton h={320} />
      )}
    </Stack>
  );
}

type Mail = Awaited<ReturnType<typeof readMail>>;

function readMail(id: string, signal: AbortSignal) {
  return answerOf(api.GET('/sends/{id}/mail', { params: { path: { id } }, signal }));
}

function madeWith({ data, publication, isCurrent }: Mail): string {
  const content = publication === null ? 'the original template' : `version ${publication} of the template`;
  const shown = `Rendered again with ${content}${isCurrent ? ', which is current' : '. The template has changed since'}`;
  return data === 'campaign'
    ? `${shown}, with the campaign's data.`
    : `${shown}. Data given when it was sent is not stored, so those parts are empty.`;
}
