import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { isWholeAddress } from '../../pasted-emails.ts';
import { useSession } from '../../session/session.tsx';
import { contactByEmailQuery, leftOutQuery } from '../contacts/contact-queries.ts';

/** More are not counted. */
const MOST_COUNTED = 100;

/** Of a search for one whole address: who was left out of an email has no row in the log, and the contact's page says why. */
export function LeftOutNotice({ search }: { readonly search: string }): ReactNode {
  const { may } = useSession();
  const { data: contact } = useQuery({ ...contactByEmailQuery(search), enabled: may('GET /contacts') && isWholeAddress(search) });
  const id = contact?.id ?? '';
  const { data: campaigns = 0 } = useQuery({ ...leftOutQuery(id, 'campaign_left_out', MOST_COUNTED), enabled: id !== '' });
  const { data: steps = 0 } = useQuery({ ...leftOutQuery(id, 'mail_skipped', MOST_COUNTED), enabled: id !== '' });
  if (!contact) return null;
  const byWhat = [counted(campaigns, 'campaign'), counted(steps, 'sequence email')].filter(Boolean).join(' and ');
  return (
    <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
      {byWhat ? `${contact.email} was left out of ${byWhat}. Emails left out are not listed here. ` : ''}
      <Anchor component={Link} href={inConsole(`/contacts/${contact.id}`)} inherit>
        {byWhat ? 'See why' : `View contact ${contact.email}`}
      </Anchor>
    </Text>
  );
}

/** Like "2 campaigns"; '' of none. */
function counted(count: number, thing: string): string {
  if (count === 0) return '';
  if (count === 1) return `1 ${thing}`;
  return `${count >= MOST_COUNTED ? `${MOST_COUNTED} or more` : count} ${thing}s`;
}
