import { Button, Menu, Text } from '@mantine/core';
import { IconBan, IconMailCheck, IconPencil, IconTrash, IconUserMinus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import { SUPPRESSIONS } from '../suppressions/suppression-queries.ts';
import { CONTACTS, type ContactWithConsent } from './contact-queries.ts';
import { SubscribeContact } from './subscribe-contact.tsx';

interface Given {
  readonly contact: ContactWithConsent;
  readonly isSuppressed: boolean;
  /** Asks whether to take the address off the suppression list; undefined: it is not on it, or the key may not. */
  readonly onTakeOff: (() => void) | undefined;
}

/** What can be done to a contact, as far as the key allows; each asks first. */
export function ContactActions({ contact, isSuppressed, onTakeOff }: Given): ReactNode {
  const { may } = useSession();
  const [asked, setAsked] = useState<'subscribe' | 'unsubscribe' | 'suppress' | 'erase'>();
  const close = (): void => setAsked(undefined);
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const done = async (message: string): Promise<void> => {
    close();
    notifyDone(message);
    await Promise.all([CONTACTS, SUPPRESSIONS].map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  const path = { id: contact.id };
  const unsubscribe = useMutation({
    mutationFn: () => answerOf(api.POST('/contacts/{id}/unsubscribe', { params: { path } })),
    onSuccess: () => done(`${contact.email} is unsubscribed`),
  });
  const suppress = useMutation({
    mutationFn: () => answerOf(api.POST('/suppressions', { body: { email: contact.email, reason: 'manual' } })),
    onSuccess: () => done(`${contact.email} is suppressed`),
  });
  const erase = useMutation({
    mutationFn: () => answerOf(api.DELETE('/contacts/{id}', { params: { path } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      queries.removeQueries({ queryKey: [...CONTACTS, contact.id] });
      await done('The contact is erased');
    },
  });
  return (
    <>
      {may('contacts:write') && contact.status !== 'subscribed' ? (
        <Button variant="default" onClick={() => setAsked('subscribe')}>
          Subscribe…
        </Button>
      ) : null}
      {may('contacts:write') && contact.status === 'subscribed' ? (
        <Button variant="default" onClick={() => setAsked('unsubscribe')}>
          Unsubscribe…
        </Button>
      ) : null}
      {may('contacts:write') ? (
        <Button component={Link} href={`/${contact.id}/edit`} leftSection={<IconPencil size={14} />}>
          Edit
        </Button>
      ) : null}
      {may('contacts:write') || may('suppressions:write') ? (
        <MoreActions>
          {may('contacts:write') && (contact.status === 'pending' || contact.status === 'bounced') ? (
            <Menu.Item leftSection={<IconUserMinus size={15} />} onClick={() => setAsked('unsubscribe')}>
              Unsubscribe…
            </Menu.Item>
          ) : null}
          {may('suppressions:write') && !isSuppressed ? (
            <Menu.Item leftSection={<IconBan size={15} />} onClick={() => setAsked('suppress')}>
              Suppress address…
            </Menu.Item>
          ) : null}
          {onTakeOff ? (
            <Menu.Item leftSection={<IconMailCheck size={15} />} onClick={onTakeOff}>
              Take off the suppression list…
            </Menu.Item>
          ) : null}
          {may('contacts:write') ? (
            <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => setAsked('erase')}>
              Erase contact…
            </Menu.Item>
          ) : null}
        </MoreActions>
      ) : null}
      <SubscribeContact
        contact={contact}
        isSuppressed={isSuppressed}
        onTakeOff={onTakeOff}
        opened={asked === 'subscribe'}
        onClose={close}
      />
      <Confirm
        opened={asked === 'unsubscribe'}
        onClose={close}
        title={`Unsubscribe ${contact.email}?`}
        action="Unsubscribe"
        mutation={unsubscribe}
      >
        <Text size="sm">
          No marketing mail goes to the contact any more, and it enters no sequence. Sequences that it is in go on without their marketing
          mails. Transactional mail still goes out.
        </Text>
      </Confirm>
      <Confirm opened={asked === 'suppress'} onClose={close} title={`Suppress ${contact.email}?`} action="Suppress" mutation={suppress}>
        <Text size="sm">The address gets no mail at all, transactional mail included, until it is taken off the list of suppressions.</Text>
      </Confirm>
      <Confirm
        opened={asked === 'erase'}
        onClose={close}
        title="Erase this contact?"
        action="Erase for good"
        isFinal
        typed={contact.email}
        mutation={erase}
      >
        <Text size="sm">
          The contact goes with its consent, its events and its place in audiences; its runs are cancelled, and its address is emptied in
          the send log. A suppressed address stays suppressed. There is no way back.
        </Text>
      </Confirm>
    </>
  );
}
