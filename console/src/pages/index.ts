import {
  IconBan,
  IconBuildingStore,
  IconCalendarRepeat,
  IconFilter,
  IconGauge,
  IconHome,
  IconKey,
  IconListCheck,
  IconMail,
  IconRoute,
  IconSend,
  IconSpeakerphone,
  IconUsers,
  IconWebhook,
  IconWorld,
} from '@tabler/icons-react';
import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { consolePath } from '../base.ts';
import type { Operation } from '../session/operations.ts';
import type { Session } from '../session/session.tsx';
import { type LoadedLater, loadedLater } from './section-code.ts';

export interface Section {
  /** Below the console; its pages lie below it. */
  readonly path: string;
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number; readonly stroke?: number }>;
  /** To a key that may not, the section is not offered, and its addresses say that the key may not do the deed. */
  readonly needs?: { readonly operation: Operation; readonly deed: string };
  readonly pages: LoadedLater;
}

/** What the console has, in the order of the navigation. */
export const sections: readonly Section[] = [
  { path: '/home', label: 'Home', icon: IconHome, pages: loadedLater(() => import('./home/home-section.tsx')) },
  {
    path: '/contacts',
    label: 'Contacts',
    icon: IconUsers,
    needs: { operation: 'GET /contacts', deed: 'read contacts' },
    pages: loadedLater(() => import('./contacts/contacts-section.tsx')),
  },
  {
    path: '/sends',
    label: 'Sends',
    icon: IconSend,
    needs: { operation: 'GET /sends', deed: 'read sends' },
    pages: loadedLater(() => import('./sends/sends-section.tsx')),
  },
  {
    path: '/templates',
    label: 'Templates',
    icon: IconMail,
    needs: { operation: 'GET /templates', deed: 'read templates' },
    pages: loadedLater(() => import('./templates/templates-section.tsx')),
  },
  {
    path: '/campaigns',
    label: 'Campaigns',
    icon: IconSpeakerphone,
    needs: { operation: 'GET /campaigns', deed: 'read campaigns' },
    pages: loadedLater(() => import('./campaigns/campaigns-section.tsx')),
  },
  {
    path: '/recurring-campaigns',
    label: 'Recurring campaigns',
    icon: IconCalendarRepeat,
    needs: { operation: 'GET /recurring-campaigns', deed: 'read campaigns' },
    pages: loadedLater(() => import('./recurring/recurring-section.tsx')),
  },
  {
    path: '/sequences',
    label: 'Sequences',
    icon: IconRoute,
    needs: { operation: 'GET /sequences', deed: 'read sequences' },
    pages: loadedLater(() => import('./sequences/sequences-section.tsx')),
  },
  {
    path: '/segments',
    label: 'Segments',
    icon: IconFilter,
    needs: { operation: 'GET /segments', deed: 'read segments' },
    pages: loadedLater(() => import('./segments/segments-section.tsx')),
  },
  { path: '/topics', label: 'Topics', icon: IconListCheck, pages: loadedLater(() => import('./topics/topics-section.tsx')) },
  {
    path: '/suppressions',
    label: 'Suppressions',
    icon: IconBan,
    needs: { operation: 'GET /suppressions', deed: 'read suppressions' },
    pages: loadedLater(() => import('./suppressions/suppressions-section.tsx')),
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    icon: IconWebhook,
    needs: { operation: 'GET /webhooks', deed: 'read webhooks' },
    pages: loadedLater(() => import('./webhooks/webhooks-section.tsx')),
  },
  { path: '/domains', label: 'Domains', icon: IconWorld, pages: loadedLater(() => import('./domains/domains-section.tsx')) },
  {
    path: '/reputation',
    label: 'Reputation',
    icon: IconGauge,
    needs: { operation: 'GET /stats', deed: 'read what became of emails' },
    pages: loadedLater(() => import('./reputation/reputation-section.tsx')),
  },
  { path: '/brands', label: 'Brands', icon: IconBuildingStore, pages: loadedLater(() => import('./brands/brands-section.tsx')) },
  {
    path: '/keys',
    label: 'API keys',
    icon: IconKey,
    needs: { operation: 'GET /keys', deed: 'read API keys' },
    pages: loadedLater(() => import('./keys/keys-section.tsx')),
  },
];

/** What a key with these scopes is offered. */
export function sectionsFor(may: Session['may']): readonly Section[] {
  return sections.filter(({ needs }) => !needs || may(needs.operation));
}

/** Starts to load what the address names, while it is still asked who is signed in; what it shows is read once somebody is. */
export async function loadAddress(signedIn: Promise<QueryClient | undefined>): Promise<void> {
  const path = window.location.pathname.slice(consolePath.length);
  const section = sections.find((each) => isWithin(path, each)) ?? sections[0];
  await section?.pages.load();
  const code = section?.pages.code.get();
  const isFirstPage = path.replace(/\/$/, '') === section?.path && window.location.search === '';
  const queries = await signedIn;
  if (queries && isFirstPage && code?.state === 'loaded') code.module.prefetch?.(queries);
}

/** Whether a path below the console belongs to the section. */
export function isWithin(path: string, section: Section): boolean {
  return path === section.path || path.startsWith(`${section.path}/`);
}
