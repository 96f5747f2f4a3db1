import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Detail, Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Json } from '../../show/json.tsx';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { suppressionOf } from '../suppressions/suppression-queries.ts';
import { ContactActions } from './contact-actions.tsx';
import { type ContactWithConsent, contactQuery, nameOf, timelineQuery } from './contact-queries.ts';
import { ContactTimeline } from './contact-timeline.tsx';
import { Tags } from './tags.tsx';

/** One contact: who it is, and all that happened to it. */
export function ContactPage({ id }: { readonly id: string }): ReactNode {
  const { data: contact, error, refetch } = useQuery(contactQuery(id));
  const timeline = useInfiniteQuery(timelineQuery(id));
  const { data: suppression } = useQuery({ ...suppressionOf(contact?.email ?? ''), enabled: contact !== undefined });
  const beside = contact ? (
    <>
      <Status value={contact.status} />
      {suppression ? <Status value="Suppressed" tone="bad" /> : null}
    </>
  ) : undefined;
  return (
    <Page
      title={contact?.email ?? (error ? 'Contact' : undefined)}
      beside={beside}
      description={contact ? nameOf(contact) : undefined}
      back={{ to: '/', label: 'Contacts' }}
      actions={contact ? <ContactActions contact={contact} isSuppressed={Boolean(suppression)} /> : undefined}
    >
      {error && !contact ? (
        <FailureNotice error={error} onRetry={refetch} />
      ) : (
        <Detail
          main={<ContactTimeline query={timeline} action={<AllSends id={id} />} />}
          aside={contact ? <About contact={contact} /> : null}
        />
      )}
    </Page>
  );
}

/** The send log has filters, and all of its columns. */
function AllSends({ id }: { readonly id: string }): ReactNode {
  const { may } = useSession();
  if (!may('sends:read')) return null;
  return (
    <Anchor component={Link} href={inConsole(`/sends?contactId=${id}`)} size="sm">
      All sends
    </Anchor>
  );
}

function About({ contact }: { readonly contact: ContactWithConsent }): ReactNode {
  const attributes = Object.entries(contact.attributes);
  return (
    <>
      <Panel title="Contact">
        <Facts>
          <Fact name="Id">
            <CopiedId value={contact.id} name="contact id" />
          </Fact>
          <Fact name="Address">
            <CopiedId value={contact.email} name="address" plain />
          </Fact>
          <Fact name="Name">{nameOf(contact)}</Fact>
          <Fact name="Brand">{contact.brand_id}</Fact>
          <Fact name="Tags">{contact.tags.length > 0 ? <Tags tags={contact.tags} /> : null}</Fact>
          <Fact name="Time zone">{contact.timezone}</Fact>
          <Fact name="Language">{contact.locale}</Fact>
          <Fact name="Source">{contact.source}</Fact>
          <Fact name="Added">
            <Time at={contact.created_at} />
          </Fact>
          <Fact name="Changed">
            <Time at={contact.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Panel title="Attributes">
        {attributes.length === 0 ? (
          <Text size="sm" c="dimmed">
            None
          </Text>
        ) : (
          <Facts>
            {attributes.map(([name, value]) => (
              <Fact key={name} name={name}>
                <AttributeValue name={name} value={value} />
              </Fact>
            ))}
          </Facts>
        )}
      </Panel>
      <Panel title="Consent">
        <Facts>
          <Fact name="Source">{contact.consent_source}</Fact>
          <Fact name="When">{contact.consent_at ? <Time at={contact.consent_at} /> : null}</Fact>
          <Fact name="IP address">{contact.consent_ip}</Fact>
          <Fact name="Browser">
            {contact.consent_user_agent ? (
              <Text size="xs" lineClamp={3} title={contact.consent_user_agent}>
                {contact.consent_user_agent}
              </Text>
            ) : null}
          </Fact>
        </Facts>
      </Panel>
    </>
  );
}

function AttributeValue({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  if (typeof value === 'object' && value !== null) return <Json value={value} label={`Attribute ${name}`} />;
  return String(value);
}
