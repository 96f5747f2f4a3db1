import { Button, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MailFrame } from '../../show/mail-frame.tsx';
import type { SendWithEvents } from './send-queries.ts';

/** Renders the mail again, on demand: the API keeps neither mails nor the data that they were made with. */
export function SentMail({ send }: { readonly send: SendWithEvents }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconMail size={14} />} onClick={() => setIsOpen(true)}>
        Show mail
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={send.subject || send.template} size={720}>
        <Rendered send={send} />
      </Modal>
    </>
  );
}

function Rendered({ send: { id, template, brand_id: brand, contact_id: contact } }: { readonly send: SendWithEvents }): ReactNode {
  const { may } = useSession();
  const contactId = may('contacts:read') ? contact : null;
  const { data, error, refetch } = useQuery({
    queryKey: ['sends', id, 'mail'],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/templates/{key}/preview', {
          params: { path: { key: template } },
          body: { brand, contactId, version: 'published' },
          signal,
        }),
      ),
    staleTime: 0,
  });
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Rendered again {contactId ? 'for this contact ' : ''}with what the template says now. Data that was given when it was sent is not
        kept, so what came from it is empty. Images from other hosts are left out.
      </Text>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data ? <MailFrame title={`Mail: ${data.subject}`} html={data.html} /> : error ? null : <Skeleton h={320} />}
    </Stack>
  );
}
