import { Box, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Fact, Facts } from '../../frame/detail.tsx';
import { browserWords } from '../../session/browser-words.ts';
import { sendErrorWords } from '../../show/send-error-words.ts';
import { Time } from '../../show/time.tsx';
import type { ContactWithConsent } from './contact-queries.ts';
import { UNCONFIRMED, unconfirmed } from './contact-status.ts';
import { SendConfirmation } from './send-confirmation.tsx';

type Confirmation = NonNullable<ContactWithConsent['confirmation']>;

/** Whether a person was asked to confirm the sign-up, and what came of it. Nothing of who was never asked. */
export function ConfirmationFacts({ of: contact }: { readonly of: ContactWithConsent }): ReactNode {
  const { confirmation } = contact;
  if (!confirmation) return null;
  const { state, ended_at, ip, user_agent, text } = confirmation;
  if (state !== 'confirmed') return <NotConfirmed contact={contact} confirmation={confirmation} />;
  return (
    <Box mb="md">
      <Facts>
        <Fact name="Confirmed">{ended_at ? <Time at={ended_at} /> : null}</Fact>
        <Fact name="Confirmed from">{ip}</Fact>
        <Fact name="Confirmed with">{user_agent ? <span title={user_agent}>{browserWords(user_agent)}</span> : null}</Fact>
        {text ? (
          <Fact name="Page">
            <details>
              <summary style={{ cursor: 'pointer' }}>Text shown</summary>
              <Text size="xs" mt={4} style={{ whiteSpace: 'pre-line' }}>
                {text}
              </Text>
            </details>
          </Fact>
        ) : null}
      </Facts>
    </Box>
  );
}

interface Given {
  readonly contact: ContactWithConsent;
  readonly confirmation: Confirmation;
}

function NotConfirmed({ contact, confirmation }: Given): ReactNode {
  const state = unconfirmed(contact);
  const { asked_at, mails, error } = confirmation;
  return (
    <Stack gap={6} align="flex-start" mb="xs">
      <Text size="sm">
        {state ? UNCONFIRMED[state] : 'Not confirmed; the status was changed another way'}: {askedWords(asked_at, mails)}.
        {state ? ' No marketing email goes to the contact until the person confirms.' : ''}
      </Text>
      {state && error ? (
        <Text size="sm" c="var(--mantine-color-error)">
          The last email was not sent. {sendErrorWords(error, contact.email)}.
        </Text>
      ) : null}
      {state ? <SendConfirmation contact={contact} confirmation={confirmation} /> : null}
    </Stack>
  );
}

function askedWords(at: string, mails: number): ReactNode {
  if (mails === 0) return 'no email has gone out yet';
  return (
    <>
      asked <Time at={at} />, {mails === 1 ? '1 email' : `${mails} emails`}
    </>
  );
}
