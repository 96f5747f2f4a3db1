import { IDS, NOW } from './shown-records.ts';

const DOMAIN = 'mail.acme.example';
const SHOWN = {
  ...{ id: IDS.domain, domain: DOMAIN, verified: false, vouched: false, standing: 'pending', failing_since: null },
  ...{ checked_at: null, ed25519: false, ramp: null, created_at: NOW },
};

const OTHER = { action: 'set', keep_until: null, algorithm: null, signs: null };
const KEY = { ...OTHER, algorithm: 'rsa', signs: false };
const UNCHECKED = { state: 'unchecked', found: [], problem: null, unavailable: null, checked_at: null };
const RECORDS = [
  {
    ...{ purpose: 'ownership', type: 'TXT', name: `_everpost.${DOMAIN}`, value: 'everpost-verification=6f1c0d5e9b7a4c2d8e3f0a1b2c3d4e5f' },
    ...{ required: true, ...OTHER },
  },
  {
    ...{ purpose: 'dkim', type: 'TXT', name: `ep-0a4e2231._domainkey.${DOMAIN}` },
    value: 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…',
    ...{ required: true, ...KEY },
  },
  { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${DOMAIN}`, value: 'v=DMARC1; p=none;', required: false, ...OTHER },
];
const ADDED = { ...SHOWN, records: RECORDS.map((record) => ({ ...record, ...UNCHECKED })), next_check_at: null };

export const list = [{ answer: { domains: [SHOWN] } }] as const;

export const add = [{ body: { domain: DOMAIN }, answer: { domain: ADDED } }] as const;

/** Where the day of NOW ends. */
const MIDNIGHT = new Date(Math.ceil((Date.parse(NOW) + 1) / 86_400_000) * 86_400_000).toISOString();
/** Two minutes after NOW. */
const NEXT = new Date(Date.parse(NOW) + 120_000).toISOString();
const MISSING = {
  ...{ state: 'missing', found: [], problem: 'there is no such record yet', unavailable: null, checked_at: NOW },
};

const ASKED = { ...SHOWN, checked_at: NOW, records: RECORDS.map((record) => ({ ...record, ...MISSING })), next_check_at: NEXT };

export const get = [{ params: { id: IDS.domain }, answer: { domain: ASKED } }] as const;

export const verify = [{ params: { id: IDS.domain }, answer: { domain: ASKED } }] as const;

export const remove = [{ params: { id: IDS.domain }, answer: { deleted: true } }] as const;

const [OWNERSHIP, RSA, DMARC] = ASKED.records;
const ED25519 = {
  ...{ purpose: 'dkim', type: 'TXT', name: `ep-5b7d90c3._domainkey.${DOMAIN}`, required: false, ...KEY, algorithm: 'ed25519' },
  ...{ value: 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', ...UNCHECKED },
};

export const change = [
  {
    title: 'Signed by Ed25519 as well',
    params: { id: IDS.domain },
    body: { ed25519: true },
    answer: { domain: { ...ASKED, ed25519: true, records: [OWNERSHIP, RSA, ED25519, DMARC] } },
  },
  {
    title: 'With a daily ramp',
    params: { id: IDS.domain },
    body: { ramp: { steps: [50, 100, 200] } },
    answer: { domain: { ...ASKED, ramp: { steps: [50, 100, 200], day: 1, allowance: 50, used: 0, resets_at: MIDNIGHT } } },
  },
] as const;

/** The first key has yet to sign, so it is the new one. */
export const rotate = [{ params: { id: IDS.domain }, answer: { domain: ASKED } }] as const;
