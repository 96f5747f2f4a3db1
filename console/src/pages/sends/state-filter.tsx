import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Choice, choicesOf } from '../../frame/choices.ts';
import { filterWidth } from '../../frame/filter-bar.tsx';
import type { Filters } from '../../frame/filters.ts';
import type { SendFilter } from './send-queries.ts';

const STATUSES: Readonly<Record<NonNullable<SendFilter['status']>, string>> = { sent: 'Sent', failed: 'Not sent', scheduled: 'Scheduled' };
const REPORTED: Readonly<Record<NonNullable<SendFilter['deliveryStatus']>, string>> = {
  delivered: 'Delivered',
  bounced: 'Bounced',
  complained: 'Complained',
  queued: 'Queued',
  none: 'No reports yet',
};

/** What became of a mail, by the filter of the API that finds it. */
const STATES = [
  { group: 'Accepted', items: choicesOf(STATUSES).map((choice) => filtering('status', choice)) },
  { group: 'Reported', items: choicesOf(REPORTED).map((choice) => filtering('deliveryStatus', choice)) },
];
const NAMES = ['status', 'deliveryStatus'];

function filtering(name: keyof SendFilter, { value, label }: Choice): Choice {
  return { value: `${name}=${value}`, label };
}

/** One choice for what the API has two filters for. */
export function StateFilter({ filters }: { readonly filters: Filters }): ReactNode {
  const current = NAMES.map((name) => `${name}=${filters.get(name)}`).find((each) => !each.endsWith('='));
  return (
    <Select
      aria-label="Status"
      placeholder="Status"
      size="xs"
      w={filterWidth(120)}
      clearable
      data={STATES}
      value={current ?? null}
      onChange={(chosen) => {
        const [name, value = ''] = chosen?.split('=') ?? [];
        for (const each of NAMES) filters.set(each, each === name ? value : '');
      }}
    />
  );
}
