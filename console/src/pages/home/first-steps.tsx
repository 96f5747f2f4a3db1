import { Anchor, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { anyContactQuery } from './home-queries.ts';

/** What to begin with in a project without contacts; nothing in any other. */
export function FirstSteps(): ReactNode {
  const { may } = useSession();
  const { data: hasContacts } = useQuery({ ...anyContactQuery(), enabled: may('GET /contacts') });
  if (hasContacts !== false) return null;
  const steps = [
    { to: '/contacts/new', label: 'Add a contact', is: may('POST /contacts') },
    { to: '/templates', label: 'Choose a template and turn it on', is: may('PUT /templates/{key}') },
    { to: '/sequences', label: 'Make a sequence that sends by itself', is: may('POST /sequences') },
    { to: '/campaigns/new', label: 'Send a campaign', is: may('POST /campaigns') },
    { to: '/webhooks', label: 'Let Everpost tell your program what happens', is: may('POST /webhooks') },
  ].filter(({ is }) => is);
  if (steps.length === 0) return null;
  return (
    <Panel title="First steps">
      <List type="ordered" size="sm" spacing={4}>
        {steps.map(({ to, label }) => (
          <List.Item key={to}>
            <Anchor component={Link} href={inConsole(to)} inherit>
              {label}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}
