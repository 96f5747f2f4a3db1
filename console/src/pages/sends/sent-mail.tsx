import { Anchor, Button, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Clamped } from '../../show/clamped.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MailFrame } from '../../show/mail-frame.tsx';
import { SENDS, sendQuery } from './send-queries.ts';

interface Given {
  readonly sendId: string;
  /** Its subject, or what else it is called. */
  readonly title: string;
  /** Among many: a small button. */
  readonly isQuiet?: boolean;
}

/** Renders the mail again, on demand: the API keeps neither mails nor the data that they were made with. */
export function SentMail({ sendId, title, isQuiet = false }: Given): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => setIsOpen(true);
  return (
    <>
      {isQuiet ? (
        <Anchor component="button" type="button" size="xs" c="dimmed" onClick={open} aria-label={`Show mail: ${title}`}>
          Show mail
        </Anchor>
      ) : (
        <Button variant="default" leftSection={<IconMail size={14} />} onClick={open}>
          Show mail
        </Button>
      )}
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={<Clamped>{title}</Clamped>} size={720}>
        <Rendered sendId={sendId} />
      </Modal>
    </>
  );
}

function Rendered({ sendId }: { readonly sendId: string }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: [...SENDS, sendId, 'mail'],
    async queryFn({ signal }) {
      const { template, brand_id: brand, contact_id: contact } = await queries.ensureQueryData(sendQuery(sendId));
      const contactId = may('contacts:read') ? contact : null;
      const body = { brand, contactId, version: 'published' as const };
      return answerOf(api.POST('/templates/{key}/preview', { params: { path: { key: template } }, body, signal }));
    },
    staleTime: 0,
  });
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Rendered again {may('contacts:read') ? 'for this contact ' : ''}with what the template says now. Data that was given when it was
        sent is not kept, so what came from it is empty. Images from other hosts are left out.
      </Text>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data ? <MailFrame title={`Mail: ${data.subject}`} html={data.html} /> : error ? null : <Skeleton h={320} />}
    </Stack>
  );
}
