import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MailboxLink } from '../../show/mailbox-link.tsx';
import { notifyDone } from '../../show/notify.ts';
import { contactQuery } from '../contacts/contact-queries.ts';
import { type MailSubject, SubjectChoice } from './subject-choice.tsx';
import { type MailData, SAMPLE_CONTACT, SavedMeanwhile, shownContact, templatesQuery } from './template-queries.ts';

const SAMPLE = `${SAMPLE_CONTACT.displayName}, a sample`;

interface Given {
  readonly template: string;
  readonly brand?: string | undefined;
  readonly data: MailData;
  /** Whose fields it shows, as the preview does; the sample's when omitted. */
  readonly contactId?: string | undefined;
  /** What the mail shows, where it is not all that is on the page. */
  readonly note: string;
  /** The draft first when omitted. */
  readonly version?: 'published';
  /** Which language it is in; that of whom it shows when omitted. */
  readonly locale?: string;
  /** What the mail may have as its subject, of which one is chosen where there are several; the template's own when omitted. */
  readonly subjects?: readonly MailSubject[];
  /** Saves what is on the page, which the mail would not show else. Throws SavedMeanwhile, which the page tells about. */
  readonly saveFirst?: (() => Promise<unknown>) | undefined;
}

/** Sends the template to one address to look at it, whether or not it is enabled. */
export function TestMail(given: Given): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [to, setTo] = useState('');
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Send test email…
      </Button>
      <FormDialog opened={isOpen} onClose={() => setIsOpen(false)} title="Send a test email">
        <Form {...given} to={to} onTo={setTo} onClose={() => setIsOpen(false)} />
      </FormDialog>
    </>
  );
}

interface FormGiven extends Given {
  readonly to: string;
  readonly onTo: (to: string) => void;
  readonly onClose: () => void;
}

function Form({
  template,
  brand,
  data,
  contactId,
  note,
  version,
  locale,
  subjects = [],
  saveFirst,
  to,
  onTo,
  onClose,
}: FormGiven): ReactNode {
  const { mailbox } = useSession();
  const [chosenSubject, setChosenSubject] = useState(0);
  const subject = subjects[chosenSubject]?.subject;
  const { data: templates } = useQuery(templatesQuery(brand));
  const isMarketing = templates?.some(({ key, type }) => key === template && type === 'marketing');
  const { data: chosen } = useQuery({ ...contactQuery(contactId ?? ''), enabled: Boolean(contactId) });
  const send = useMutation({
    mutationFn: async () => {
      await saveFirst?.();
      return answerOf(
        api.POST('/templates/{key}/test', {
          params: { path: { key: template } },
          body: {
            to: to.trim(),
            data,
            ...shownContact(contactId),
            ...(brand ? { brand } : {}),
            ...(subject ? { subject } : {}),
            ...(version ? { version } : {}),
            ...(locale ? { locale } : {}),
          },
        }),
      );
    },
    onError: (error) => {
      if (error instanceof SavedMeanwhile) onClose();
    },
    onSuccess: () => {
      onClose();
      notifyDone(<Sent to={to.trim()} mailbox={mailbox} />);
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { to: to.trim() ? undefined : 'Enter an address' },
    error: send.error,
    isPending: send.isPending,
    // The address stays for the next time.
    isUnsaved: false,
    onSubmit: send.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {note} The fields of the contact are those of {contactId ? (chosen?.email ?? 'the selected contact') : SAMPLE}, as in the preview.
        </Text>
        {isMarketing ? (
          <Text size="sm" c="dimmed">
            Sent to a contact of yours, it counts toward the frequency caps of sequences.
          </Text>
        ) : null}
        <SubjectChoice subjects={subjects} chosen={chosenSubject} onChoose={setChosenSubject} />
        <TextInput
          label="To"
          type="email"
          placeholder="you@example.com"
          required
          data-autofocus
          value={to}
          error={errorOf('to')}
          onChange={(event) => onTo(event.currentTarget.value)}
        />
        {send.error ? <FailureNotice error={send.error} /> : null}
        <FormEnd action={saveFirst ? 'Save draft and send' : 'Send test email'} isPending={send.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}

/** A trial keeps its emails in a mailbox, which nobody would look for. */
function Sent({ to, mailbox }: { readonly to: string; readonly mailbox: string | null }): ReactNode {
  const words = `Test email sent to ${to}`;
  if (mailbox === null) return words;
  return (
    <>
      {words}. <MailboxLink to={mailbox}>Open the local mailbox</MailboxLink>
    </>
  );
}
