import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { useFieldErrors } from '../../frame/field-errors.ts';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { ConsentFields, consentOf, NO_CONSENT } from './consent-fields.tsx';
import { CONTACTS, type ContactWithConsent } from './contact-queries.ts';

interface Given {
  readonly contact: ContactWithConsent;
  readonly isSuppressed: boolean;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Brings somebody back who has agreed to it, with what shows that. */
export function SubscribeContact({ contact, isSuppressed, opened, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const [consent, setConsent] = useState(NO_CONSENT);
  const { email } = contact;
  const subscribe = useMutation({
    async mutationFn() {
      // The call makes contacts too, and somebody may have erased this one meanwhile.
      await answerOf(api.GET('/contacts/{id}', { params: { path: { id: contact.id } } }));
      return answerOf(api.POST('/contacts', { body: { email, status: 'subscribed', resubscribe: true, consent: consentOf(consent) } }));
    },
    onSuccess: async () => {
      done();
      notifyDone(`${email} is subscribed`);
      await queries.invalidateQueries({ queryKey: CONTACTS });
    },
  });
  const errorOf = useFieldErrors(subscribe.error);
  const guarded = useLeaveGuard(opened && consent !== NO_CONSENT);
  const done = (): void => {
    setConsent(NO_CONSENT);
    subscribe.reset();
    onClose();
  };
  const close = (): void => guarded(done);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    subscribe.mutate();
  };
  return (
    <Modal opened={opened} onClose={close} title={`Subscribe ${email}?`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">
            Only with the person's own word: the contact {contact.status === 'pending' ? 'has not agreed yet' : `is ${contact.status}`}, and
            gets marketing mail from then on. What is given here replaces the consent that is kept.
          </Text>
          {isSuppressed ? (
            <Text size="sm">
              The address is suppressed as well, so it gets no mail until it is taken off the{' '}
              <Anchor component={Link} href={inConsole(`/suppressions?q=${encodeURIComponent(email)}`)} inherit>
                list of suppressions
              </Anchor>
              .
            </Text>
          ) : null}
          <ConsentFields consent={consent} onChange={setConsent} errorOf={errorOf} />
          {subscribe.error ? <FailureNotice error={subscribe.error} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={subscribe.isPending} disabled={!consent.source.trim()}>
              Subscribe
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
