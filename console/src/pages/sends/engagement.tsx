import { Group, VisuallyHidden } from '@mantine/core';
import { IconClick, IconEye } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CellText } from '../../show/cell-text.tsx';
import type { Send } from './send-queries.ts';

/** How often a mail was opened and its links followed. */
export function Engagement({ send: { open_count, click_count } }: { readonly send: Send }): ReactNode {
  if (open_count === 0 && click_count === 0) {
    return (
      <CellText isDimmed isWideOnly>
        –
      </CellText>
    );
  }
  return (
    <Group gap="sm" wrap="nowrap">
      <Count icon={<IconEye size={14} stroke={1.6} aria-hidden />} count={open_count} name="opens" />
      {click_count > 0 ? <Count icon={<IconClick size={14} stroke={1.6} aria-hidden />} count={click_count} name="clicks" /> : null}
    </Group>
  );
}

function Count({ icon, count, name }: { readonly icon: ReactNode; readonly count: number; readonly name: string }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap">
      {icon}
      {count}
      <VisuallyHidden>{name}</VisuallyHidden>
    </Group>
  );
}
