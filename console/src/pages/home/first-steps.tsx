import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { FIRST_STEPS, useDismissed } from '../../session/dismissed.ts';
import { type Operation, scopeOf } from '../../session/operations.ts';
import { useSession } from '../../session/session.tsx';
import { MailboxLink } from '../../show/mailbox-link.tsx';
import { domainsQuery } from '../domains/domain-queries.ts';
import { sequencesQuery } from '../sequences/sequence-queries.ts';
import { templatesQuery } from '../templates/template-queries.ts';
import { endpointsQuery } from '../webhooks/webhook-queries.ts';
import classes from './home.module.css';
import { AGAIN_MS, anyContactQuery, anySentQuery } from './home-queries.ts';

interface Step {
  readonly to: string;
  readonly label: string;
  readonly why: string;
  /** Of the API, for which the key needs its scope. */
  readonly operation: Operation;
  /** undefined while it is not known, or where the key may not know it: then the step is left out. */
  readonly isDone: boolean | undefined;
}

interface Given {
  /** More went lately than are tests; false and undefined tell nothing of what went before. */
  readonly hasSent: boolean | undefined;
}

/** What to begin with, each step checked off by what the project has; nothing once all is done, or somebody has hidden it. */
export function FirstSteps(given: Given): ReactNode {
  const { may } = useSession();
  const [isHidden, setHidden] = useDismissed(FIRST_STEPS);
  return may('GET /sends') && !isHidden ? <Steps {...given} onHide={() => setHidden(true)} /> : null;
}

function Steps({ hasSent, onHide }: Given & { readonly onHide: () => void }): ReactNode {
  const { all, isKnown } = useSteps(hasSent);
  const steps = all.filter(({ isDone }) => isDone !== undefined);
  const left = steps.filter(({ isDone }) => !isDone).length;
  if (!isKnown || left === 0) return null;
  return (
    <Panel
      title="First steps"
      action={
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {steps.length - left} of {steps.length} done
          </Text>
          <Button variant="subtle" color="gray" size="compact-sm" aria-label="Hide first steps" onClick={onHide}>
            Hide
          </Button>
        </Group>
      }
    >
      <Stack gap="md">
        <Text size="sm">
          Everpost sends the emails of your product: single ones that your program asks for, campaigns to many, and sequences that go on by
          themselves when somebody does something. Nothing is sent twice, and nothing is lost when a process dies. Each step checks itself
          off.
        </Text>
        <TrialNotice />
        <ul className={classes.steps}>
          {steps.map((step) => (
            <StepLine key={step.to} step={step} />
          ))}
        </ul>
      </Stack>
    </Panel>
  );
}

/** Where the emails of a trial are, which the start alone has said. */
function TrialNotice(): ReactNode {
  const { mailbox } = useSession();
  if (!mailbox) return null;
  return (
    <Text size="sm">
      This trial delivers no email to anybody: all of them arrive in the <MailboxLink to={mailbox}>local mailbox</MailboxLink>, whatever
      their address.
    </Text>
  );
}

function StepLine({ step: { to, label, why, operation, isDone } }: { readonly step: Step }): ReactNode {
  const { may } = useSession();
  const Icon = isDone ? IconCircleCheck : IconCircle;
  return (
    <li className={classes.step}>
      <Icon size={18} className={isDone ? classes.well : classes.more} role="img" aria-label={isDone ? 'Done' : 'To do'} />
      <div>
        <Anchor component={Link} href={inConsole(to)} size="sm" c={isDone ? 'dimmed' : undefined}>
          {label}
        </Anchor>
        <Text size="xs" c="dimmed">
          {why}
          {isDone || may(operation) ? '' : `. This key cannot do it: it needs ${scopeOf(operation)}`}
        </Text>
      </div>
    </li>
  );
}

/** In the order in which a mail needs them; what comes after the first mail last. */
function useSteps(hasSent = false): { readonly all: readonly Step[]; readonly isKnown: boolean } {
  const { may, brands, mailbox } = useSession();
  const again = { refetchInterval: AGAIN_MS };
  const contacts = useQuery({ ...anyContactQuery(), ...again, enabled: may('GET /contacts') });
  const templates = useQuery({ ...templatesQuery(), ...again, enabled: may('GET /templates') && brands.length > 0 });
  const sequences = useQuery({ ...sequencesQuery(), enabled: may('GET /sequences') });
  const endpoints = useQuery({ ...endpointsQuery(), ...again, enabled: may('GET /webhooks') });
  const sent = useQuery({ ...anySentQuery(), enabled: !hasSent });
  const domains = useQuery(domainsQuery());
  const isDomainVerified = domains.data?.some(({ verified }) => verified);
  const all: readonly Step[] = [
    {
      to: '/domains',
      label: 'Verify the domain that you send from',
      why: 'Email from other domains is refused',
      operation: 'POST /domains',
      // A trial comes with one, and no email leaves it.
      isDone: mailbox && isDomainVerified ? undefined : isDomainVerified,
    },
    {
      to: '/brands',
      label: 'Set up a sender on a verified domain',
      why: 'Who your emails come from',
      operation: 'PUT /brands/{slug}',
      isDone: brands.some((one) => one.is_verified),
    },
    {
      ...{ to: '/contacts/new', label: 'Add a contact', why: 'Start with yourself', operation: 'POST /contacts' },
      isDone: contacts.data,
    },
    {
      ...{ to: '/templates', label: 'Choose a template and turn it on', why: 'A template has to be on to send with it' },
      operation: 'PUT /templates/{key}',
      isDone: brands.length === 0 ? false : templates.data?.some(({ enabled }) => enabled),
    },
    {
      to: '/campaigns/new',
      label: 'Send your first email',
      why: 'Send a campaign to yourself, or call POST /send from your app',
      operation: 'POST /campaigns',
      isDone: hasSent || sent.data,
    },
    {
      ...{ to: '/sequences', label: 'Create and activate a sequence', why: 'Emails that send automatically' },
      operation: 'PUT /sequences/{key}',
      isDone: sequences.data?.some(({ status }) => status === 'active'),
    },
    {
      ...{ to: '/webhooks', label: 'Add a webhook', why: 'Know about bounces and complaints as they happen' },
      operation: 'POST /webhooks',
      isDone: endpoints.data && endpoints.data.length > 0,
    },
  ];
  return { all, isKnown: ![contacts, templates, sequences, endpoints, sent, domains].some(({ isLoading }) => isLoading) };
}
