import { generic } from './generic.ts';
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import type { InboundProviderKind, SettableProviderKind } from './proof.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';

/** Whose events prove themselves with what an operator stores. A new provider is a file and a line here, and a migration that lets it be stored. */
export const SETTABLE = { resend, ses, sendgrid, postmark, mailgun } satisfies Readonly<Record<string, SettableProviderKind>>;
export type SettableProvider = keyof typeof SETTABLE;
export const SETTABLE_PROVIDERS = Object.keys(SETTABLE) as SettableProvider[];

/** All; `generic` has the project's inbound secret only. */
export const INBOUND = { ...SETTABLE, generic } satisfies Readonly<Record<string, InboundProviderKind>>;
export type InboundProvider = keyof typeof INBOUND;
export const INBOUND_PROVIDERS = Object.keys(INBOUND) as InboundProvider[];
