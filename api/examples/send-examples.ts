import { BRAND, EMAILS, IDS, NOW, PROVIDER_ID } from './shown-records.ts';

/** Within the days that a mail may be asked for ahead, whenever a test sends it: what is past goes at once. */
const LATER = '2026-06-02T09:00:00.000Z';

const RESET = { name: 'Ada', resetUrl: 'https://acme.example/reset?token=Zk3vR8', expiresInMinutes: 30, requestIp: '203.0.113.7' };

export const send = [
  {
    title: 'To an address',
    body: { template: 'password-reset', to: EMAILS.ada, data: RESET },
    answer: { id: PROVIDER_ID },
  },
  {
    title: 'To a contact, with a subject of its own',
    body: {
      template: 'password-reset',
      contactId: IDS.ada,
      subject: 'A new password for {{ contact.first_name | default: "you" }}',
      data: { resetUrl: RESET.resetUrl },
      idempotencyKey: 'reset-81c2',
    },
    answer: { id: PROVIDER_ID },
  },
  {
    title: 'Later',
    body: { template: 'password-reset', to: EMAILS.ada, data: RESET, sendAt: LATER },
    status: 202,
    answer: { id: IDS.send, status: 'scheduled', sendAt: LATER },
  },
  {
    title: 'With content of the call',
    body: {
      html: '<p>Hi {{ name }}, your <a href="https://acme.example/invoices/{{ number }}">invoice {{ number }}</a> is ready.</p>',
      subject: 'Invoice {{ number }}',
      type: 'transactional',
      to: EMAILS.ada,
      data: { name: 'Ada', number: '2026-081' },
    },
    answer: { id: PROVIDER_ID },
  },
  {
    title: 'With copies, headers and tags of its own',
    body: {
      template: 'password-reset',
      to: `Ada Lovelace <${EMAILS.ada}>`,
      data: RESET,
      cc: [EMAILS.grace],
      bcc: ['archive@acme.example'],
      replyTo: 'Acme Support <support@acme.example>',
      headers: { 'X-Entity-Ref-ID': 'reset-81c2' },
      tags: ['account'],
      metadata: { ticket: '81c2' },
    },
    answer: { id: PROVIDER_ID },
  },
  {
    title: 'With an attachment, and an image that the page shows',
    body: {
      html: '<p><img src="cid:logo" alt="Acme"></p><p>Your invoice is attached.</p>',
      subject: 'Invoice 2026-081',
      type: 'transactional',
      to: EMAILS.ada,
      attachments: [
        { filename: 'invoice.pdf', content: 'JVBERi0xLjQKJSVFT0YK' },
        { filename: 'logo.gif', contentId: 'logo', content: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' },
      ],
    },
    answer: { id: PROVIDER_ID },
  },
] as const;

export const download = [{ params: { id: PROVIDER_ID, number: '0' }, answer: '%PDF-1.4\n%%EOF\n' }] as const;

export const move = [
  { params: { id: IDS.send }, body: { sendAt: LATER }, answer: { id: IDS.send, status: 'scheduled', sendAt: LATER } },
] as const;

export const cancel = [{ params: { id: IDS.send }, answer: { id: IDS.send, deleted: true } }] as const;

const SENT = {
  id: IDS.send,
  contact_id: null,
  brand_id: BRAND,
  to_email: EMAILS.ada,
  template: 'password-reset',
  type: 'transactional',
  subject: 'Reset your Acme password',
  status: 'sent',
  error: null,
  delivery_status: null,
  provider_id: PROVIDER_ID,
  provider: 'smtp',
  source_type: 'api',
  source_id: null,
  first_opened_at: null,
  open_count: 0,
  first_clicked_at: null,
  click_count: 0,
  last_event_at: null,
  sandboxed: false,
  created_at: NOW,
  send_at: null,
  ...{ retried_as: null, retry_of: null },
  ...{ cc: [], bcc: [], left_out: [], topic: null, tags: [], metadata: {} },
};

const FAILED = {
  ...SENT,
  ...{ contact_id: IDS.ada, source_type: 'campaign', source_id: IDS.campaign, subject: '', provider_id: null, provider: null },
  ...{ status: 'failed', error: 'render_failed: resetUrl is required' },
};

export const list = [
  { title: 'The newest of one template', query: { template: 'password-reset', limit: 50 }, answer: { sends: [SENT], nextCursor: null } },
  {
    title: 'The failed ones of campaigns',
    query: { status: 'failed', sourceType: 'campaign' },
    answer: { sends: [FAILED], nextCursor: null },
  },
] as const;

const BOUNCE = { kind: 'hard', code: '5.1.1' };

export const read = [
  {
    params: { id: PROVIDER_ID },
    answer: {
      send: {
        ...SENT,
        ...{ enrollment_id: null, variant: null, locale: null, closed_at: '2026-06-01T12:00:00.180Z' },
        ...{ reply_to: null, headers: {}, attachments: [] },
        ...{ delivery_status: 'bounced', last_event_at: '2026-06-01T12:00:04.000Z', bounce: BOUNCE },
        events: [
          {
            type: 'bounced',
            provider: 'generic',
            occurred_at: '2026-06-01T12:00:04.000Z',
            received_at: '2026-06-01T12:00:05.120Z',
            bounce: BOUNCE,
            url: null,
            recipient: EMAILS.ada,
          },
        ],
      },
    },
  },
] as const;

export const mail = [
  {
    params: { id: PROVIDER_ID },
    answer: {
      ...{ subject: 'Reset your Acme password', html: '<!doctype html>…', text: 'Hello …' },
      ...{ missing: ['resetUrl'], data: 'none', version: null, publication: null, isCurrent: true },
    },
  },
] as const;

export const retry = [
  {
    params: { id: IDS.send },
    body: {},
    answer: { id: null, send_id: IDS.nextSend, queued: true },
  },
] as const;

const COUNTS = { sent: 1200, failed: 2, delivered: 1180, bounced: 7, complained: 1, opened: 431, clicked: 88 };

export const stats = [
  {
    query: { period: '24h', timezone: 'Europe/Berlin' },
    answer: { bucket: 'hour', counts: [{ from: NOW, ...COUNTS }], totals: { ...COUNTS, withheld: 1 } },
  },
  {
    title: 'By receiver',
    query: { period: '7d', by: 'receiver' },
    answer: {
      ...{ bucket: 'day', counts: [{ from: NOW, ...COUNTS }], totals: { ...COUNTS, withheld: 1 } },
      byReceiver: [
        {
          ...{ receiver: 'gmail.com', sent: 70, rejected: 0, delivered: 66, deferred: 12, bounced: { hard: 1, soft: 2 }, complained: 1 },
          ...{ bounce_rate: 3 / 70, complaint_rate: 1 / 70, state: null },
        },
      ],
      others: null,
    },
  },
] as const;
