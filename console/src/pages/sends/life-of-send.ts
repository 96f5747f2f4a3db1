import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClick,
  IconClock,
  IconEye,
  IconFlag,
  IconMailX,
  IconPencil,
  IconSend,
} from '@tabler/icons-react';
import { notSentWords } from '../../show/send-error-words.ts';
import { madeOf, reporterWords, sendSource } from '../../show/words.ts';
import type { SendWithEvents } from './send-queries.ts';

export interface Step {
  readonly key: string;
  readonly icon: Icon;
  readonly at: string;
  readonly words: string;
  readonly more?: string;
  readonly isBad?: boolean;
}

type SendEvent = SendWithEvents['events'][number];

interface Words {
  readonly icon: Icon;
  readonly words: string;
  readonly isBad?: boolean;
}

/** What a provider reports; one of a later version is shown by its own name. */
const REPORTS: Readonly<Record<SendEvent['type'], Words>> = {
  queued: { icon: IconClock, words: 'Deferred: the provider will retry' },
  delivered: { icon: IconCheck, words: "Delivered to the recipient's server" },
  bounced: { icon: IconAlertTriangle, words: 'Bounced', isBad: true },
  complained: { icon: IconFlag, words: 'Marked as spam', isBad: true },
  opened: { icon: IconEye, words: 'Opened' },
  clicked: { icon: IconClick, words: 'Clicked a link' },
};

/** A mail's life in the order in which it went: asked for, submitted or not, and all that is known since. */
export function lifeOf(send: SendWithEvents): Step[] {
  const intent: Step = {
    key: 'intent',
    icon: IconPencil,
    at: send.created_at,
    words: `Requested by ${sendSource(send.source_type).by}`,
    more: asked(send),
  };
  if (send.send_at !== null) return [intent, { key: 'due', icon: IconClock, at: send.send_at, words: 'Scheduled' }];
  const at = send.closed_at ?? send.created_at;
  const outcome: Step =
    send.status === 'sent'
      ? {
          key: 'outcome',
          icon: IconSend,
          at,
          words: send.sandboxed ? 'Sandboxed: accepted but not delivered' : 'Accepted by the provider',
        }
      : { key: 'outcome', icon: IconMailX, at, words: 'Not sent', more: notSentWords(send) ?? '', isBad: true };
  const hasCopies = send.cc.length + send.bcc.length > 0;
  const reported = send.events.map((event, index) => toStep(event, index, hasCopies));
  const has = (type: string): boolean => send.events.some((event) => event.type === type);
  // Counted by the links and the image of the mail itself, where the provider does not report them.
  const counted = [
    ...(send.first_opened_at && !has('opened') ? [toCounted('opened', send.first_opened_at, send.open_count)] : []),
    ...(send.first_clicked_at && !has('clicked') ? [toCounted('clicked', send.first_clicked_at, send.click_count)] : []),
  ];
  return [intent, outcome, ...[...reported, ...counted].sort((one, other) => one.at.localeCompare(other.at))];
}

/** Of one among several it has to be said whom it is about; that is null of who was erased. */
function toStep({ type, provider, occurred_at, bounce, url, recipient }: SendEvent, index: number, isOfOneOfSeveral: boolean): Step {
  const { words, ...rest } = REPORTS[type] ?? { icon: IconBan, words: type };
  const details = [
    isOfOneOfSeveral && recipient,
    url,
    bounce && (bounce.kind === 'hard' ? 'permanent' : 'temporary'),
    bounce?.code,
    reporterWords(provider),
  ];
  return { key: `${index}`, at: occurred_at, words, more: details.filter(Boolean).join(' · '), ...rest };
}

function toCounted(type: 'opened' | 'clicked', at: string, count: number): Step {
  const { icon, words } = REPORTS[type];
  return { key: type, icon, at, words: `${words} for the first time`, more: count > 1 ? `${count} times in total` : '' };
}

function asked({ template, variant }: SendWithEvents): string {
  return variant ? `${madeOf(template)}, variant ${variant}` : madeOf(template);
}
