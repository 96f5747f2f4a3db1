import type { ReactNode } from 'react';
import { keysOf } from '../../frame/choices.ts';
import { capitalized } from '../../letters.ts';
import { browserWords } from '../../session/browser-words.ts';
import { dayOf } from '../../show/time.tsx';
import { contactSource } from '../../show/words.ts';
import { KeyWords } from '../keys/key-words.tsx';
import type { ContactStatus } from './contact-status.ts';

/** Of an entry of the timeline, as the API gives it. */
type Details = Readonly<Record<string, unknown>>;

const STATUSES: Readonly<Record<ContactStatus, string>> = {
  subscribed: 'Subscribed',
  unsubscribed: 'Unsubscribed',
  pending: 'Set to pending',
  bounced: 'No longer gets email',
};

const ADDED: Readonly<Record<string, string>> = {
  unsubscribed: 'Added as unsubscribed',
  pending: 'Added as pending',
  bounced: 'Added as bounced',
};

const CAUSES: Readonly<Record<string, string>> = {
  mail_link: 'by the link in an email',
  complaint: 'by a complaint about an email',
  bounce: 'since an email bounced',
  suppression: 'by the suppression of the address',
  import: 'by an import',
};

/** Of a change: "Unsubscribed by the link in a mail", "Subscribed: signup-form, May 3, 2026". */
export function changeWords(change: Details): ReactNode {
  const topics = topicWords(change);
  if (topics)
    return (
      <>
        {topics} {change.cause === 'mail_link' ? 'by the link in an email, or on the page behind it' : causeWords(change)}
      </>
    );
  const consent = consentWords(change);
  const status = statusWords(change);
  if (change.cause === 'confirmation') return `${status}, confirmed by the person`;
  return consent ? (
    `${status}: ${consent}`
  ) : (
    <>
      {status} {causeWords(change)}
    </>
  );
}

/** What the words of a change leave out. */
export function changeMore(change: Details): ReactNode {
  if (topicWords(change)) {
    const consent = consentWords(change);
    return joined(consent && `consent: ${consent}`, fromWhere(change));
  }
  if (change.cause === 'confirmation') return <ByPerson of={change} />;
  if (!consentWords(change)) return '';
  const from = fromWhere(change);
  return (
    <>
      {causeWords(change)}
      {from ? ` · ${from}` : ''}
    </>
  );
}

/** Whether it was a contact that gets email, from the first on. */
export function addedWords({ status }: Details): string {
  return ADDED[text(status)] ?? 'Contact added';
}

/** What the API calls the source of a contact that a call makes without naming one. */
const CALLS: readonly unknown[] = ['api', 'event', 'send'];

/**
 * Whether a record of consent is one that a call left by making its contact: no source of consent was named, or that of the contact, and the address is
 * the caller's.
 */
export function isOfCall({ source, consent_source, consent_ip }: Details): boolean {
  return CALLS.includes(consent_source) || (consent_source === source && Boolean(consent_ip));
}

/** Where a contact came from, and how it agreed at first. */
export function firstConsentWords(created: Details): string {
  const source = text(created.source);
  if (isOfCall(created)) return `source: ${contactSource(source)}`;
  const consent = consentWords({ ...created, consent_source: created.consent_source === created.source ? '' : created.consent_source });
  // Who did not agree at first has no consent but the time at which that was told.
  const agreed = created.status === 'unsubscribed' || created.status === 'bounced' ? '' : consent;
  return joined(source && `source: ${contactSource(source)}`, agreed && `consent: ${agreed}`, fromWhere(created));
}

/** Of a change of topics alone: "Turned off news, turned on offers". */
function topicWords({ from, to, topics }: Details): string {
  if (from !== to || typeof topics !== 'object' || topics === null) return '';
  const keys = (on: boolean): string =>
    keysOf(topics)
      .filter((key) => Reflect.get(topics, key) === on)
      .join(', ');
  const [off, on] = [keys(false), keys(true)];
  return capitalized([off && `turned off ${off}`, on && `turned on ${on}`].filter(Boolean).join(', '));
}

function statusWords({ from, to }: Details): string {
  if (from === to) return 'Consent changed';
  return to === 'subscribed' && from !== 'pending' ? 'Subscribed again' : (STATUSES[text(to) as ContactStatus] ?? text(to));
}

function causeWords({ cause, sequence_name, key_id }: Details): ReactNode {
  if (cause === 'sequence') return text(sequence_name) ? `by the sequence “${text(sequence_name)}”` : 'by a sequence';
  const by = typeof key_id === 'string' ? <KeyWords id={key_id} /> : 'the API';
  if (cause === 'api_call') return <>by {by}</>;
  if (cause === 'suppression' && key_id)
    return (
      <>
        {CAUSES.suppression} by {by}
      </>
    );
  return CAUSES[text(cause)] ?? '';
}

function consentWords({ consent_source, consent_at }: Details): string {
  return [contactSource(text(consent_source)), text(consent_at) && dayOf(text(consent_at))].filter(Boolean).join(', ');
}

/** The person's own request on a page goes before the consent of a call. */
function fromWhere({ by_ip, consent_ip }: Details): string {
  const ip = text(by_ip) || text(consent_ip);
  return ip && `from ${ip}`;
}

/** From where, and with which browser, a person answered. */
function ByPerson({ of: change }: { readonly of: Details }): ReactNode {
  const browser = text(change.by_user_agent);
  const from = fromWhere(change);
  return (
    <>
      {from}
      {from && browser ? ' · ' : ''}
      {browser ? <span title={browser}>{browserWords(browser)}</span> : null}
    </>
  );
}

function joined(...parts: readonly string[]): string {
  return parts.filter(Boolean).join(' · ');
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
