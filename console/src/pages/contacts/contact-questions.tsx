import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Confirm } from '../../show/confirm.tsx';
import type { ContactWithConsent } from './contact-queries.ts';
import { useContactChanges } from './use-contact-changes.ts';

/** What is asked about. */
export type ContactQuestion = 'unsubscribe' | 'suppress' | 'erase';

interface Given {
  readonly contact: ContactWithConsent;
  /** undefined: nothing is asked. */
  readonly asked: ContactQuestion | undefined;
  readonly onClose: () => void;
}

/** Asks before a contact is unsubscribed, suppressed or erased, and does it. */
export function ContactQuestions({ contact, asked, onClose }: Given): ReactNode {
  const { unsubscribe, suppress, erase } = useContactChanges(contact, onClose);
  return (
    <>
      <Confirm
        opened={asked === 'unsubscribe'}
        onClose={onClose}
        title={`Unsubscribe ${contact.email}?`}
        action="Unsubscribe"
        mutation={unsubscribe}
      >
        <Text size="sm">
          The contact gets no more marketing email and enters no more sequences. Sequences that it is in go on without their marketing
          emails. Transactional email still goes out.
        </Text>
      </Confirm>
      <Confirm opened={asked === 'suppress'} onClose={onClose} title={`Suppress ${contact.email}?`} action="Suppress" mutation={suppress}>
        <Text size="sm">
          The address gets no email at all, including transactional email, until you remove it from the suppression list.
        </Text>
      </Confirm>
      <Confirm
        opened={asked === 'erase'}
        onClose={onClose}
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
