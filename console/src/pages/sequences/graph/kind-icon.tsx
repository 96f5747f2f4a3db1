import { type Icon, IconQuestionMark } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { kindOf } from './node-kinds.ts';

/** The icon of a kind of node, also of one that this console does not know. */
export function iconOf(kind: string): Icon {
  return kindOf({ kind })?.icon ?? IconQuestionMark;
}

export function KindIcon({ kind, size = 16 }: { readonly kind: string; readonly size?: number }): ReactNode {
  const KindsIcon = iconOf(kind);
  return <KindsIcon size={size} stroke={1.7} aria-hidden />;
}
