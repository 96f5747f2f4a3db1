import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { filterWidth } from '../../frame/filter-bar.tsx';
import type { Filters } from '../../frame/filters.ts';

/** What became of a mail, by the filter of the API that finds it. */
const STATES = [
  {
    group: 'Handed over',
    items: [
      { value: 'status=sent', label: 'Sent' },
      { value: 'status=failed', label: 'Not sent' },
    ],
  },
  {
    group: 'Reported since',
    items: [
      { value: 'deliveryStatus=delivered', label: 'Delivered' },
      { value: 'deliveryStatus=bounced', label: 'Bounced' },
      { value: 'deliveryStatus=complained', label: 'Complained' },
      { value: 'deliveryStatus=queued', label: 'Queued' },
      { value: 'deliveryStatus=none', label: 'Nothing yet' },
    ],
  },
];
const NAMES = ['status', 'deliveryStatus'];

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
