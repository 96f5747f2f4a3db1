import { BRAND, EMAILS, IDS, NOW, PROVIDER_ID } from './shown-records.ts';

const KEY = 'order-shipped';

const CONTENT = {
  preheader: 'Order {{ order.number }} is on its way',
  blocks: [
    { type: 'heading', text: 'Your order is on its way' },
    {
      type: 'text',
      text: 'Hello {{ contact.first_name | default: "there" }}, your order **{{ order.number }}** travels with {{ order.carrier }}.',
    },
    { type: 'button', label: 'Track it', url: '{{ trackingUrl }}', showIf: 'trackingUrl' },
  ],
};

/** Without a carrier, which is not required. */
const DATA = { order: { number: '1042' }, trackingUrl: 'https://acme.example/track/1042' };

const FIELDS = [
  { path: 'order.number', kind: 'string', required: true, sample: '1042' },
  { path: 'order.carrier', kind: 'string', sample: 'DHL' },
  { path: 'trackingUrl', kind: 'url', sample: 'https://acme.example/track/1042' },
];

export const create = [
  {
    body: {
      key: KEY,
      type: 'transactional',
      name: 'Order shipped',
      subject: 'Order {{ order.number }} is on its way',
      content: CONTENT,
      dataSchema: FIELDS,
    },
    answer: { key: KEY, type: 'transactional', enabled: false },
  },
] as const;

export const list = [
  {
    query: { brand: BRAND },
    answer: {
      templates: [
        {
          key: KEY,
          ...{ name: 'Order shipped', description: '' },
          type: 'transactional',
          own: true,
          enabled: true,
          subject: 'Shipped: {{ order.number }}',
          from: { email: 'orders@acme.example', name: 'Acme Orders' },
        },
        {
          ...{ key: 'welcome', name: 'Welcome', description: 'Greets a new contact and leads to the first step.' },
          ...{ type: 'marketing', own: false, enabled: false, subject: '', from: null },
        },
      ],
    },
  },
] as const;

export const schema = [
  {
    params: { key: KEY },
    answer: {
      key: KEY,
      type: 'transactional',
      subject: 'Your order {{ order.number }}',
      dataSchema: FIELDS,
      declared: FIELDS,
      version: 1,
      systemVars: ['contact.first_name'],
    },
  },
] as const;

export const declare = [
  { params: { key: KEY }, body: { dataSchema: [...FIELDS, { path: 'eta', kind: 'date' }] }, answer: { key: KEY, version: 2 } },
] as const;

export const set = [
  {
    params: { key: KEY },
    body: { enabled: true, defaultSubject: 'Shipped: {{ order.number }}', from: { email: 'orders@acme.example', name: 'Acme Orders' } },
    answer: { key: KEY, enabled: true },
  },
] as const;

const VERSION = {
  version: 1,
  publication: 1,
  state: 'published',
  subject: 'Shipped: {{ order.number }}',
  created_at: NOW,
  key_id: IDS.key,
};

export const versions = [
  { params: { key: KEY }, answer: { versions: [VERSION], first: { subject: 'Order {{ order.number }} is on its way', created_at: NOW } } },
] as const;

export const version = [{ params: { key: KEY, version: '1' }, answer: { ...VERSION, content: CONTENT } }] as const;

export const readContent = [
  {
    params: { key: KEY },
    answer: {
      key: KEY,
      defaultContent: CONTENT,
      published: { version: 1, publication: 1, published: true, content: CONTENT, subject: 'Shipped: {{ order.number }}' },
    },
  },
] as const;

export const writeContent = [
  {
    title: 'The default',
    params: { key: KEY },
    body: { content: CONTENT, subject: 'Shipped: {{ order.number }}', publish: true },
    answer: { key: KEY, version: 1, published: true, publication: 1 },
  },
  {
    title: 'In German',
    params: { key: KEY },
    body: { content: CONTENT, subject: 'Unterwegs: {{ order.number }}', publish: true, locale: 'de' },
    answer: { key: KEY, version: 2, published: true, publication: 1 },
  },
] as const;

const GERMAN = { version: 2, subject: 'Unterwegs: {{ order.number }}', created_at: NOW };

export const languages = [
  {
    params: { key: KEY },
    answer: {
      languages: [
        {
          locale: null,
          published: { version: 1, subject: 'Shipped: {{ order.number }}', created_at: NOW },
          draft: null,
          ships: true,
          behind: false,
        },
        { locale: 'de', published: GERMAN, draft: null, ships: false, behind: false },
      ],
    },
  },
] as const;

export const removeLanguage = [{ params: { key: KEY, locale: 'de' }, answer: { key: KEY, locale: 'de', deleted: true } }] as const;

export const rename = [
  {
    params: { key: KEY },
    body: { name: 'Your parcel is on its way', description: 'Goes out when a parcel leaves' },
    answer: { key: KEY, name: 'Your parcel is on its way', description: 'Goes out when a parcel leaves' },
  },
] as const;

export const remove = [{ params: { key: KEY }, answer: { key: KEY, deleted: true } }] as const;

export const source = [
  {
    params: { key: KEY },
    answer: {
      key: KEY,
      name: 'Order shipped',
      description: '',
      type: 'transactional',
      own: true,
      enabled: false,
      subject: 'Shipped: {{ order.number }}',
      from: null,
      dataSchema: FIELDS,
      schemaVersion: 1,
      languages: [
        { locale: null, subject: 'Shipped: {{ order.number }}', content: CONTENT, version: 1, published: true, draft: false },
        { locale: 'de', subject: 'Unterwegs: {{ order.number }}', content: CONTENT, version: 2, published: true, draft: false },
      ],
    },
  },
] as const;

export const check = [
  {
    params: { key: KEY },
    body: {
      type: 'transactional',
      name: 'Order shipped',
      subject: 'Shipped: {{ order.number }}',
      content: CONTENT,
      dataSchema: FIELDS,
      languages: { de: { subject: 'Unterwegs: {{ order.number }}', content: CONTENT } },
    },
    answer: { key: KEY, exists: true },
  },
] as const;

export const preview = [
  {
    params: { key: KEY },
    body: { data: DATA, contact: { firstName: 'Ada' } },
    answer: {
      subject: 'Order 1042 is on its way',
      html: '<!doctype html>…',
      text: 'YOUR ORDER IS ON ITS WAY\n\nHello Ada, your order 1042 travels with .…',
      missing: ['order.carrier'],
      locale: null,
    },
  },
] as const;

export const test = [
  {
    params: { key: KEY },
    body: { to: EMAILS.ada, data: DATA, contact: { firstName: 'Ada' } },
    answer: { id: PROVIDER_ID, missing: ['order.carrier'] },
  },
] as const;
