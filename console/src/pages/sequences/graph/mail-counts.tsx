import { VisuallyHidden } from '@mantine/core';
import { IconCheck, IconEye, IconPointer, IconSend, IconUserMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { compact } from './compact.ts';
import classes from './graph.module.css';
import type { MailNumbers } from './marks.ts';

/** In the order in which they happen. */
export const MAIL_COUNTS = [
  { of: 'sent', Icon: IconSend },
  { of: 'delivered', Icon: IconCheck },
  { of: 'opened', Icon: IconEye },
  { of: 'clicked', Icon: IconPointer },
  { of: 'unsubscribed', Icon: IconUserMinus },
] as const;

/** What became of the mails of a step, in one line of its card. */
export function MailCounts({ mails }: { readonly mails: MailNumbers }): ReactNode {
  return (
    <span className={classes.mails}>
      {MAIL_COUNTS.map(({ of, Icon }) => (
        <span key={of} className={classes.mailCount} title={`${mails[of].toLocaleString('en')} ${of}`}>
          <Icon size={11} stroke={2} aria-hidden />
          {compact(mails[of])}
          <VisuallyHidden> {of} </VisuallyHidden>
        </span>
      ))}
    </span>
  );
}
