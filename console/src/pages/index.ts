import {
  IconBan,
  IconFilter,
  IconHome,
  IconMail,
  IconRoute,
  IconSend,
  IconSpeakerphone,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { type ComponentType, lazy } from 'react';
import type { Scope } from '../session/me.ts';

export interface Section {
  /** Below the console; its pages lie below it. */
  readonly path: string;
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number; readonly stroke?: number }>;
  /** Without it the section is not offered. */
  readonly scope?: Scope;
  /** The routes of the section, relative to its path. */
  readonly pages: ComponentType;
}

/** What the console has, in the order of the navigation. */
export const sections: readonly Section[] = [
  { path: '/home', label: 'Home', icon: IconHome, pages: lazy(() => import('./home/home-section.tsx')) },
  {
    path: '/contacts',
    label: 'Contacts',
    icon: IconUsers,
    scope: 'contacts:read',
    pages: lazy(() => import('./contacts/contacts-section.tsx')),
  },
  { path: '/sends', label: 'Sends', icon: IconSend, scope: 'sends:read', pages: lazy(() => import('./sends/sends-section.tsx')) },
  { path: '/templates', label: 'Templates', icon: IconMail, pages: lazy(() => import('./templates/templates-section.tsx')) },
  { path: '/campaigns', label: 'Campaigns', icon: IconSpeakerphone, pages: lazy(() => import('./campaigns/campaigns-section.tsx')) },
  {
    path: '/sequences',
    label: 'Sequences',
    icon: IconRoute,
    scope: 'sequences:write',
    pages: lazy(() => import('./sequences/sequences-section.tsx')),
  },
  { path: '/segments', label: 'Segments', icon: IconFilter, pages: lazy(() => import('./segments/segments-section.tsx')) },
  { path: '/suppressions', label: 'Suppressions', icon: IconBan, pages: lazy(() => import('./suppressions/suppressions-section.tsx')) },
  { path: '/webhooks', label: 'Webhooks', icon: IconWebhook, pages: lazy(() => import('./webhooks/webhooks-section.tsx')) },
];
