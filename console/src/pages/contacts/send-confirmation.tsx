import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { HOURS_BETWEEN_CONFIRMATIONS } from '../../api/limits.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { hoursAfter } from '../../show/relative-time.ts';
import { Time } from '../../show/time.tsx';
import { CONTACTS, type ContactWithConsent } from './contact-queries.ts';
import { unconfirmed } from './contact-status.ts';

interface Given {
  readonly contact: ContactWithConsent;
  readonly confirmation: NonNullable<ContactWithConsent['confirmation']>;
}

/** Asks somebody once more who has not confirmed, as often as the API does, as far as the key allows. */
export function SendConfirmation({ contact, confirmation: { state, mails, mailed_at, asked_at } }: Given): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const { email, suppressed } = contact;
  const send = useMutation({
    mutationFn: () => askAgain(contact),
    onSuccess: () => {
      setIsAsked(false);
      notifyDone(`Confirmation email for ${email} is on its way`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: CONTACTS }),
  });
  // An address that gets no email at all is told beside the status.
  if (!may('POST /contacts') || suppressed !== null) return null;
  const again = mailed_at === null ? 0 : hoursAfter(mailed_at, HOURS_BETWEEN_CONFIRMATIONS);
  return (
    <>
      {state === 'waiting' && Date.parse(asked_at) > Date.now() ? (
        <Said>
          It goes out <Time at={asked_at} />, an hour after the email before it.
        </Said>
      ) : state === 'waiting' && mails === 0 ? (
        <Said>It goes out as soon as the brand can send it: its template is on, and it has a sender.</Said>
      ) : again > Date.now() ? (
        <Said>
          The last email went out less than an hour ago. It can be sent again <Time at={new Date(again).toISOString()} />.
        </Said>
      ) : (
        <Button variant="default" size="compact-sm" onClick={() => setIsAsked(true)}>
          Send confirmation again…
        </Button>
      )}
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title="Send the confirmation email again?"
        action="Send again"
        mutation={send}
      >
        <Text size="sm">{email} is asked once more to confirm the sign-up, and reminded as the brand says.</Text>
      </Confirm>
    </>
  );
}

function Said({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}

const NOT_ASKED = "no email goes out: the last one is less than an hour old, or the brand's confirmation template is off";

/** A sign-up as a form would tell it. The call would make an erased contact anew, and take back what somebody has said meanwhile. */
async function askAgain({ id, email }: ContactWithConsent): Promise<void> {
  const read = async () => (await answerOf(api.GET('/contacts/{id}', { params: { path: { id } } }))).contact;
  const before = await read();
  if (!unconfirmed(before)) throw new Failure('the person has answered meanwhile', { kind: 'input' });
  await answerOf(api.POST('/contacts', { body: { email, status: 'pending' } }));
  const after = await read();
  if (after.confirmation?.asked_at === before.confirmation?.asked_at) throw new Failure(NOT_ASKED, { kind: 'input' });
}
