import type { KEY_PRESETS } from '../../../generated/key-scopes.ts';
import type { Scope } from '../../session/me.ts';

export type PresetName = keyof typeof KEY_PRESETS;

/** What a key with these scopes is for. */
export const PRESET_WORDS: Readonly<Record<PresetName, { readonly label: string; readonly text: string }>> = {
  viewer: { label: 'Viewer', text: 'Somebody who looks: reads everything and changes nothing' },
  marketer: { label: 'Marketer', text: 'Somebody who writes to people: everything but webhooks, brands and keys' },
  sender: { label: 'Sender', text: 'A program: contacts, mails and events, and what templates want' },
  everything: { label: 'Everything', text: 'All that there is, and what later versions add' },
};

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'contacts:read': 'Contacts and what became of them',
  'contacts:write': 'Add and change contacts and segments',
  'segments:read': 'Segments',
  send: 'Send mails, upload files',
  'sends:read': 'The log of mails',
  'templates:read': 'Templates',
  'templates:write': 'Write and publish templates',
  'sequences:read': 'Sequences and their runs',
  'sequences:write': 'Change sequences, enroll, send events',
  'campaigns:read': 'Campaigns',
  'campaigns:write': 'Send and stop campaigns',
  'suppressions:read': 'Suppressed addresses',
  'suppressions:write': 'Add and remove suppressions',
  'webhooks:read': 'Endpoints and deliveries, with what they carry',
  'webhooks:write': 'Change endpoints, try deliveries again',
  'keys:read': 'The list of keys',
  'keys:write': 'Make and revoke keys that may no more',
  'brands:write': 'Change brands and their senders',
};
