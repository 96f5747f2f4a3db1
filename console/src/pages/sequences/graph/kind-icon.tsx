import {
  type Icon,
  IconArrowsSplit2,
  IconBolt,
  IconClock,
  IconFlag,
  IconGitBranch,
  IconHourglass,
  IconLogout2,
  IconMail,
  IconQuestionMark,
  IconRoute,
  IconUserEdit,
  IconWebhook,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { NodeKind } from './node-words.ts';

const ICONS: Readonly<Record<NodeKind, Icon>> = {
  trigger: IconBolt,
  send_email: IconMail,
  wait_delay: IconClock,
  wait_until: IconHourglass,
  branch: IconGitBranch,
  split: IconArrowsSplit2,
  update_contact: IconUserEdit,
  webhook: IconWebhook,
  subflow: IconRoute,
  goal: IconFlag,
  exit: IconLogout2,
};

/** The icon of a kind of node, also of one that this console does not know. */
export function iconOf(kind: string): Icon {
  return ICONS[kind as NodeKind] ?? IconQuestionMark;
}

export function KindIcon({ kind, size = 16 }: { readonly kind: string; readonly size?: number }): ReactNode {
  const KindsIcon = iconOf(kind);
  return <KindsIcon size={size} stroke={1.7} aria-hidden />;
}
