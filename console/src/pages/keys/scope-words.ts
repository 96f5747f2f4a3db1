import type { PRESETS } from '../../../generated/key-scopes.ts';
import type { Scope } from '../../session/me.ts';

export type PresetName = keyof typeof PRESETS;

/** What a key with these scopes is for. */
export const PRESET_WORDS: Readonly<Record<PresetName, { readonly label: string; readonly text: string }>> = {
  viewer: { label: 'Viewer', text: 'Can see everything and change nothing' },
  marketer: { label: 'Marketer', text: 'Can do everything except manage webhooks, brands, domains and keys' },
  sender: { label: 'Sender', text: 'For apps: contacts, emails, events and template fields' },
  everything: { label: 'Everything', text: 'Full access, including features added later' },
};

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'contacts:read': 'Contacts and their history',
  'contacts:write': 'Add and change contacts and segments',
  'segments:read': 'Segments',
  send: 'Send emails and upload files',
  'sends:read': 'The email log',
  'templates:read': 'Templates',
  'templates:write': 'Write and publish templates',
  'sequences:read': 'Sequences and their runs',
  'sequences:write': 'Change sequences, enroll, send events',
  'campaigns:read': 'Campaigns',
  'campaigns:write': 'Send and stop campaigns',
  'suppressions:read': 'Suppressed addresses',
  'suppressions:write': 'Add and remove suppressions',
  'webhooks:read': 'Endpoints and deliveries with their payloads',
  'webhooks:write': 'Change endpoints and retry deliveries',
  'keys:read': 'The list of keys',
  'keys:write': 'Create and revoke keys with the same or fewer permissions',
  'brands:write': 'Change brands and senders',
  'domains:write': 'Add, verify and delete sending domains',
  'topics:write': 'Add, change and delete topics',
};
