import { VisuallyHidden } from '@mantine/core';
import { IconBan, IconCheck, IconEye, IconPointer, IconSend, IconUserMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { capitalized } from '../../../letters.ts';
import { isUnreported, UNREPORTED } from '../../../show/reported.ts';
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

/** What became of the mails of a step, in one line of its card, and how many runs went on without it. */
export function MailCounts({ mails, leftOut }: { readonly mails: MailNumbers; readonly leftOut: number }): ReactNode {
  return (
    <span className={classes.mails} data-six={leftOut > 0 || undefined}>
      {MAIL_COUNTS.map(({ of, Icon }) => (
        <Count key={of} of={of} count={of === 'delivered' && isUnreported(mails[of], mails.sent) ? undefined : mails[of]} Icon={Icon} />
      ))}
      {leftOut > 0 ? <Count of="left out" count={leftOut} Icon={IconBan} /> : null}
    </span>
  );
}

interface CountGiven {
  readonly of: string;
  /** undefined: none is reported. */
  readonly count: number | undefined;
  readonly Icon: typeof IconBan;
}

function Count({ of, count, Icon }: CountGiven): ReactNode {
  return (
    <span
      className={classes.mailCount}
      title={count === undefined ? `${capitalized(of)}: ${UNREPORTED.toLowerCase()}` : `${count.toLocaleString('en')} ${of}`}
    >
      <Icon size={11} stroke={2} aria-hidden />
      {count === undefined ? '–' : compact(count)}
      <VisuallyHidden> {of} </VisuallyHidden>
    </span>
  );
}
