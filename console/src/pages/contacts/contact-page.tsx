import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Detail, Fact, Facts, Panel, PanelSkeleton } from '../../frame/detail.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { type ContactText, NAMES, TRAITS } from '../../show/contact-texts.ts';
import { CopiedId } from '../../show/copied-id.tsx';
import { Json } from '../../show/json.tsx';
import { Time } from '../../show/time.tsx';
import { contactSource } from '../../show/words.ts';
import { RemoveSuppression } from '../suppressions/remove-suppression.tsx';
import { ConfirmationFacts } from './confirmation-facts.tsx';
import { isOfCall } from './consent-words.tsx';
import { ContactActions } from './contact-actions.tsx';
import { CONTACT_LIST, type ContactWithConsent, contactQuery, LOOK_AGAIN_MS, nameOf, timelineQuery } from './contact-queries.ts';
import { unconfirmed } from './contact-status.ts';
import { ContactTimeline } from './contact-timeline.tsx';
import { MailableStatus } from './mailable-status.tsx';
import { Tags } from './tags.tsx';
import { TopicsFact } from './topics-fact.tsx';

/** One contact: who it is, and all that happened to it. */
export function ContactPage({ id }: { readonly id: string }): ReactNode {
  const { may } = useSession();
  const {
    data: contact,
    error,
    refetch,
  } = useQuery({
    ...contactQuery(id),
    // Its person may answer while the page is open.
    refetchInterval: ({ state }) => state.data?.confirmation?.state === 'waiting' && LOOK_AGAIN_MS,
  });
  const timeline = useInfiniteQuery(timelineQuery(id));
  const [isTakingOff, setIsTakingOff] = useState(false);
  const suppression = contact?.suppressed ? { email: contact.email, reason: contact.suppressed } : undefined;
  const takeOff = suppression && may('DELETE /suppressions/{email}') ? () => setIsTakingOff(true) : undefined;
  return (
    <Page
      title={contact?.email ?? (error ? 'Contact' : undefined)}
      beside={contact ? <MailableStatus contact={contact} /> : undefined}
      description={contact ? nameOf(contact) : undefined}
      back={CONTACT_LIST}
      actions={contact ? <ContactActions contact={contact} isSuppressed={Boolean(suppression)} onTakeOff={takeOff} /> : undefined}
    >
      {error && !contact ? (
        <Unread error={error} onRetry={refetch} what="contact" back={CONTACT_LIST} />
      ) : (
        <Detail
          main={<ContactTimeline query={timeline} email={contact?.email} action={<AllSends id={id} />} onTakeOff={takeOff} />}
          aside={contact ? <About contact={contact} /> : <PanelSkeleton lines={9} />}
        />
      )}
      <RemoveSuppression suppression={isTakingOff ? suppression : undefined} onClose={() => setIsTakingOff(false)} />
    </Page>
  );
}

/** The send log has filters, and all of its columns. */
function AllSends({ id }: { readonly id: string }): ReactNode {
  const { may } = useSession();
  if (!may('GET /sends')) return null;
  return (
    <Anchor component={Link} href={inConsole(`/sends?contactId=${id}`)} size="sm">
      All sends
    </Anchor>
  );
}

function About({ contact }: { readonly contact: ContactWithConsent }): ReactNode {
  return (
    <>
      <Panel title="Contact">
        <Facts>
          <Fact name="Id">
            <CopiedId value={contact.id} name="contact id" />
          </Fact>
          <Fact name="Email">
            <CopiedId value={contact.email} name="email" plain />
          </Fact>
          <Texts of={contact} texts={NAMES} />
          <Fact name="Brand">{contact.brand_id}</Fact>
          <Fact name="Tags">{contact.tags.length > 0 ? <Tags tags={contact.tags} /> : null}</Fact>
          <Texts of={contact} texts={TRAITS} />
          <TopicsFact topics={contact.topics} />
          <Fact name="Source">
            <span title={contact.source}>{contactSource(contact.source)}</span>
          </Fact>
          <Fact name="Added">
            <Time at={contact.created_at} />
          </Fact>
          <Fact name="Changed">
            <Time at={contact.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Attributes of={contact.attributes} />
      <Consent of={contact} />
    </>
  );
}

interface TextsGiven {
  readonly of: ContactWithConsent;
  readonly texts: Readonly<Record<string, ContactText>>;
}

/** Texts that are known of a person, each a fact. */
function Texts({ of, texts }: TextsGiven): ReactNode {
  return Object.values(texts).map(({ column, label }) => (
    <Fact key={column} name={label}>
      {of[column]}
    </Fact>
  ));
}

function Attributes({ of }: { readonly of: ContactWithConsent['attributes'] }): ReactNode {
  const { may } = useSession();
  const attributes = Object.entries(of);
  const canMakeSegments = may('POST /segments');
  return (
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
              {canMakeSegments && isComparable(value) ? <OthersWith name={name} value={value} /> : null}
            </Fact>
          ))}
        </Facts>
      )}
    </Panel>
  );
}

/** What shows that the person agreed. */
function Consent({ of: contact }: { readonly of: ContactWithConsent }): ReactNode {
  const isConfirmed = contact.confirmation?.state === 'confirmed';
  const isKept = isConfirmed || Boolean(contact.consent_source || contact.consent_ip || contact.consent_user_agent || contact.consent_at);
  // One that was given later has its own time.
  const isOfItsCall = isOfCall(contact) && contact.consent_at === contact.created_at;
  return (
    <Panel title="Consent">
      <ConfirmationFacts of={contact} />
      {contact.status === 'pending' && !unconfirmed(contact) ? (
        <Text size="sm" mb="xs">
          Pending: not asked yet. It gets campaigns and sequences like subscribed contacts.
        </Text>
      ) : null}
      {isKept && !isOfItsCall ? null : (
        <Text size="sm" mb="xs">
          {isOfItsCall
            ? "Recorded from the API call that added this contact, which named no other source of consent. Address and program are the caller's, unless the call gave others."
            : 'Nothing shows that this person agreed.'}
        </Text>
      )}
      <Facts>
        <Fact name="Consent source">{contact.consent_source && contactSource(contact.consent_source)}</Fact>
        <Fact name="When">{contact.consent_at ? <Time at={contact.consent_at} /> : null}</Fact>
        <Fact name="IP address">{contact.consent_ip}</Fact>
        <Fact name={isOfItsCall ? 'Program' : 'Browser'}>
          {contact.consent_user_agent ? (
            <Text size="xs" lineClamp={3} title={contact.consent_user_agent}>
              {contact.consent_user_agent}
            </Text>
          ) : null}
        </Fact>
      </Facts>
    </Panel>
  );
}

function isComparable(value: unknown): value is string | number | boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
}

/** Who else has the value is found by a segment that is not saved yet: its preview counts them and shows the newest. */
function OthersWith({ name, value }: { readonly name: string; readonly value: string | number | boolean }): ReactNode {
  const rule = new URLSearchParams({ attribute: name, value: JSON.stringify(value) });
  return (
    <Anchor
      component={Link}
      href={inConsole(`/segments/new?${rule}`)}
      size="xs"
      c="dimmed"
      ml={8}
      aria-label={`Find all with this ${name}`}
    >
      Find all
    </Anchor>
  );
}

function AttributeValue({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  if (typeof value === 'object' && value !== null) return <Json value={value} label={`Attribute ${name}`} />;
  return String(value);
}
