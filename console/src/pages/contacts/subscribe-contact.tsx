import { Anchor, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { ConsentFields, consentFaults, consentOf, NO_CONSENT } from './consent-fields.tsx';
import { CONTACTS, type ContactWithConsent } from './contact-queries.ts';
import { unconfirmed } from './contact-status.ts';

interface Given {
  readonly contact: ContactWithConsent;
  readonly isSuppressed: boolean;
  /** Asks whether to take the address off the suppression list; undefined: the key may not. */
  readonly onTakeOff: (() => void) | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Brings somebody back who has agreed to it, with what shows that. */
export function SubscribeContact({ opened, ...given }: Given): ReactNode {
  return (
    <FormDialog opened={opened} onClose={given.onClose} title={`Subscribe ${given.contact.email}?`}>
      <SubscribeForm {...given} />
    </FormDialog>
  );
}

function SubscribeForm({ contact, isSuppressed, onTakeOff, onClose }: Omit<Given, 'opened'>): ReactNode {
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
      onClose();
      notifyDone(`${email} subscribed`);
      await queries.invalidateQueries({ queryKey: CONTACTS });
    },
  });
  const { props, errorOf, ask, close } = useForm({
    faults: consentFaults(consent),
    error: subscribe.error,
    isPending: subscribe.isPending,
    isUnsaved: consent !== NO_CONSENT && !subscribe.isSuccess,
    onSubmit: subscribe.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm">
          {unconfirmed(contact)
            ? 'Only if the person agreed: the contact has not confirmed the sign-up, and gets marketing email from then on.'
            : contact.status === 'pending'
              ? 'Only if the person agreed: the contact was not asked yet, and gets marketing email as before.'
              : `Only if the person asked for it: the contact is ${contact.status}, and gets marketing email from then on.`}{' '}
          What is given here replaces the consent that is kept.
        </Text>
        {isSuppressed ? (
          <Text size="sm">
            The address is also suppressed, so it gets no email until it is removed from the{' '}
            <Anchor component={Link} href={inConsole(`/suppressions?q=${encodeURIComponent(email)}`)} inherit>
              list of suppressions
            </Anchor>
            .{' '}
            {onTakeOff ? (
              <Anchor component="button" type="button" inherit onClick={() => ask(() => [onClose(), onTakeOff()])}>
                Remove it…
              </Anchor>
            ) : null}
          </Text>
        ) : null}
        <ConsentFields consent={consent} onChange={setConsent} errorOf={errorOf} isFirst />
        {subscribe.error ? <FailureNotice error={subscribe.error} /> : null}
        <FormEnd action="Subscribe" isPending={subscribe.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}
