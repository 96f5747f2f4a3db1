import { Button, Menu } from '@mantine/core';
import { IconBan, IconMailCheck, IconPencil, IconTrash, IconUserMinus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { DownloadItem } from '../../show/download.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import type { ContactWithConsent } from './contact-queries.ts';
import { type ContactQuestion, ContactQuestions } from './contact-questions.tsx';
import { SubscribeContact } from './subscribe-contact.tsx';

interface Given {
  readonly contact: ContactWithConsent;
  readonly isSuppressed: boolean;
  /** Asks whether to take the address off the suppression list; undefined: it is not on it, or the key may not. */
  readonly onTakeOff: (() => void) | undefined;
}

type Asked = ContactQuestion | 'subscribe';

/** What can be done to a contact, as far as the key allows; each asks first. */
export function ContactActions({ contact, isSuppressed, onTakeOff }: Given): ReactNode {
  const { may } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  return (
    <>
      {may('POST /contacts') && contact.status !== 'subscribed' ? (
        <Button variant="default" onClick={() => setAsked('subscribe')}>
          Subscribe…
        </Button>
      ) : null}
      {may('POST /contacts/{id}/unsubscribe') && contact.status === 'subscribed' ? (
        <Button variant="default" onClick={() => setAsked('unsubscribe')}>
          Unsubscribe…
        </Button>
      ) : null}
      {may('POST /contacts') ? null : <ReadsOnly things="contacts" doing="changing" operation="POST /contacts" />}
      {may('POST /contacts') ? (
        <Button component={Link} href={`/${contact.id}/edit`} leftSection={<IconPencil size={14} />}>
          Edit
        </Button>
      ) : null}
      <ContactMenu contact={contact} isSuppressed={isSuppressed} onTakeOff={onTakeOff} onAsk={setAsked} />
      <SubscribeContact
        contact={contact}
        isSuppressed={isSuppressed}
        onTakeOff={onTakeOff}
        opened={asked === 'subscribe'}
        onClose={close}
      />
      <ContactQuestions contact={contact} asked={asked === 'subscribe' ? undefined : asked} onClose={close} />
    </>
  );
}

interface MenuGiven extends Given {
  readonly onAsk: (asked: Asked) => void;
}

/** What is done to a contact less often. */
function ContactMenu({ contact, isSuppressed, onTakeOff, onAsk }: MenuGiven): ReactNode {
  const { may } = useSession();
  return (
    <MoreActions>
      {may('GET /contacts/{id}/export') ? (
        <DownloadItem path={`/contacts/${contact.id}/export`}>Download all data (JSON)</DownloadItem>
      ) : null}
      {may('POST /contacts/{id}/unsubscribe') && (contact.status === 'pending' || contact.status === 'bounced') ? (
        <Menu.Item leftSection={<IconUserMinus size={15} />} onClick={() => onAsk('unsubscribe')}>
          Unsubscribe…
        </Menu.Item>
      ) : null}
      {may('POST /suppressions') && !isSuppressed ? (
        <Menu.Item leftSection={<IconBan size={15} />} onClick={() => onAsk('suppress')}>
          Suppress address…
        </Menu.Item>
      ) : null}
      {onTakeOff ? (
        <Menu.Item leftSection={<IconMailCheck size={15} />} onClick={onTakeOff}>
          Remove from suppression list…
        </Menu.Item>
      ) : null}
      {may('DELETE /contacts/{id}') ? (
        <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => onAsk('erase')}>
          Erase contact…
        </Menu.Item>
      ) : null}
    </MoreActions>
  );
}
