import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answerOf, api } from '../api/client.ts';
import { asFailure } from '../api/failure.ts';
import { askBeforeLeaving } from '../frame/leave-guard.ts';
import { useCampaignNames } from '../pages/campaigns/campaign-name.ts';
import { CAMPAIGNS, type Campaign, hasEnded } from '../pages/campaigns/campaign-queries.ts';
import type { SequenceStatus, SequenceSummary } from '../pages/sequences/sequence-queries.ts';
import { FIRST_STEPS, useDismissed } from '../session/dismissed.ts';
import type { Operation } from '../session/operations.ts';
import { type Session, useSession } from '../session/session.tsx';
import { signOutOrTell } from '../session/sign-out.ts';
import { notifyDone, notifyFailed } from '../show/notify.ts';
import { ADD_DOMAIN } from '../show/sender-host.ts';

/** What Ctrl+K does, or where it leads. */
export interface Choice {
  /** Of its kind. */
  readonly id: string;
  readonly name: string;
  readonly more?: string | undefined;
  /** A page, below the console. */
  readonly path?: string;
  /** What is done, before it leads anywhere. */
  readonly act?: () => void;
}

const MAKING: readonly { readonly name: string; readonly path: string; readonly needs: Operation }[] = [
  { name: 'New campaign', path: '/campaigns/new', needs: 'POST /campaigns' },
  { name: 'New recurring campaign', path: '/recurring-campaigns/new', needs: 'POST /recurring-campaigns' },
  { name: 'New contact', path: '/contacts/new', needs: 'POST /contacts' },
  { name: 'New sequence', path: '/sequences?new=1', needs: 'PUT /sequences/{key}' },
  { name: 'New segment', path: '/segments/new', needs: 'POST /segments' },
  { name: 'New template', path: '/templates/~new', needs: 'POST /templates' },
  { name: 'Add domain', path: `/domains?${ADD_DOMAIN}=1`, needs: 'POST /domains' },
];

const SCHEMES: readonly { readonly value: MantineColorScheme; readonly name: string }[] = [
  { value: 'light', name: 'Light theme' },
  { value: 'dark', name: 'Dark theme' },
  { value: 'auto', name: 'System theme' },
];

/** What is done with a sequence that stands so, and what one may call that. */
const TURNING: Readonly<Partial<Record<SequenceStatus, { readonly verb: string; readonly more: string }>>> = {
  active: { verb: 'Pause', more: 'Turn off: nobody enters the sequence, and its runs hold before their next email' },
  paused: { verb: 'Resume', more: 'Turn on again: runs of the sequence go on, and contacts enter it' },
  draft: { verb: 'Activate', more: 'Turn on: contacts enter the sequence' },
};

/** What commands are about, as far as the key may read it. */
export interface Commanded {
  readonly campaigns: readonly Campaign[];
  readonly sequences: readonly SequenceSummary[];
  readonly onShortcuts: () => void;
  /** Asks before it pauses, resumes or activates the sequence with this key. */
  readonly onTurn: (sequence: string) => void;
}

/** What can be done from every page with this key, by the words that somebody types. */
export function useCommands({ campaigns, sequences, onShortcuts, onTurn }: Commanded): readonly Choice[] {
  const session = useSession();
  const { may } = session;
  const [areStepsHidden, setStepsHidden] = useDismissed(FIRST_STEPS);
  const [location] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const pause = usePausing();
  const nameOf = useCampaignNames(campaigns);
  const id = idOfPage(location);
  const pausable = may('POST /campaigns/{id}/pause') ? campaigns.filter((one) => !hasEnded(one)) : [];
  const turnable = may('PATCH /sequences/{key}') ? sequences : [];
  return [
    ...MAKING.filter(({ needs }) => may(needs)).map(({ name, path }) => ({ id: path, name, path })),
    ...pausable.map((one) => ({
      id: `pause ${one.id}`,
      name: `${one.paused ? 'Resume' : 'Pause'} ${nameOf(one)}`,
      more: one.paused ? 'Its emails continue' : 'Nothing is sent until you resume it',
      act: () => void pause(one, nameOf(one)),
    })),
    ...turnable.flatMap(({ key, name, status }) => {
      const turning = TURNING[status];
      return turning ? [{ id: `turn ${key}`, name: `${turning.verb} ${name}…`, more: turning.more, act: () => onTurn(key) }] : [];
    }),
    ...outsidePages(session).map(({ name, more, href }) => ({
      id: href,
      name,
      more,
      act: () => void window.open(href, '_blank', 'noreferrer'),
    })),
    ...(areStepsHidden && may('GET /sends')
      ? [{ id: 'first steps', name: 'Show first steps', path: '/home', act: () => setStepsHidden(false) }]
      : []),
    ...(id ? [{ id: 'copy id', name: 'Copy ID', more: id, act: () => void copy(id, 'ID copied') }] : []),
    { id: 'copy link', name: 'Copy link to this page', act: () => void copy(window.location.href, 'Link copied') },
    ...SCHEMES.map(({ value, name }) => ({ id: value, name, act: () => setColorScheme(value) })),
    { id: 'shortcuts', name: 'Keyboard shortcuts', more: '?', act: onShortcuts },
    { id: 'sign out', name: 'Sign out', act: () => askBeforeLeaving(signOutOrTell) },
  ];
}

/** Pages beside the console that belong to it, where there are any. */
export function outsidePages({
  temporal_web,
  mailbox,
}: Session): readonly { readonly name: string; readonly more: string; readonly href: string }[] {
  return [
    ...(temporal_web ? [{ name: 'Temporal Web', more: 'The workflows, in a new tab', href: temporal_web }] : []),
    ...(mailbox ? [{ name: 'Local mailbox', more: 'The emails of this trial, in a new tab', href: mailbox }] : []),
  ];
}

/** What the page is about: the last id of its address, else the key of its template or sequence. */
function idOfPage(location: string): string | undefined {
  const ids = location.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g);
  const [, key] = /^\/(?:templates|sequences)\/([^/~][^/]*)/.exec(location) ?? [];
  return ids?.at(-1) ?? (key === undefined ? undefined : decodeURIComponent(key));
}

async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notifyDone(done);
  } catch {
    notifyFailed(`Your browser does not allow copying. Copy it yourself: ${text}`);
  }
}

function usePausing(): (campaign: Campaign, name: string) => Promise<void> {
  const queries = useQueryClient();
  return async (campaign, name) => {
    const params = { path: { id: campaign.id } };
    try {
      await answerOf(campaign.paused ? api.POST('/campaigns/{id}/resume', { params }) : api.POST('/campaigns/{id}/pause', { params }));
      notifyDone(campaign.paused ? `${name} resumed` : `${name} paused`);
    } catch (error) {
      notifyFailed(`${name} was not ${campaign.paused ? 'resumed' : 'paused'}: ${asFailure(error).message}`);
    }
    await queries.invalidateQueries({ queryKey: CAMPAIGNS });
  };
}
