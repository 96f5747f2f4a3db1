import { Button, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Time } from '../../show/time.tsx';
import { type Campaign, type CampaignZone, zonesQuery } from './campaign-queries.ts';
import { CardCell, CardTable } from './card-table.tsx';
import classes from './results.module.css';

/** More are shown when asked for: a campaign may have hundreds. */
const FIRST_SHOWN = 12;
const COLUMNS = ['Time zone', 'When', 'Recipients', 'Remaining'];

interface Given {
  readonly campaign: Campaign;
}

/** How far a campaign in local time, or within a send window, is in each time zone, in the order of their times. Nothing where it found nobody. */
export function ZonesPanel({ campaign }: Given): ReactNode {
  const { data: zones, error, refetch } = useQuery(zonesQuery(campaign));
  const [isWhole, setIsWhole] = useState(false);
  const fallback = campaign.schedule?.fallback ?? campaign.window_in_force?.fallback ?? 'UTC';
  if (error && !zones) return <FailureNotice error={error} onRetry={refetch} />;
  if (!zones || zones.length === 0) return null;
  const shown = isWhole ? zones : presentOf(zones);
  return (
    <Panel title="Time zones" flush>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      <CardTable label="Time zones" columns={COLUMNS} numbers={classes.numbers}>
        {shown.map((zone) => (
          <ZoneRow key={zone.timezone ?? ''} zone={zone} fallback={fallback} />
        ))}
      </CardTable>
      {zones.length > FIRST_SHOWN ? (
        <Button variant="subtle" size="xs" m="xs" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${zones.length} time zones`}
        </Button>
      ) : null}
    </Panel>
  );
}

/** Those from the first on that is not done, as many as are shown. */
function presentOf(zones: readonly CampaignZone[]): readonly CampaignZone[] {
  const next = zones.findIndex(({ remaining }) => remaining > 0);
  const from = Math.max(0, Math.min(next, zones.length - FIRST_SHOWN));
  return zones.slice(from, from + FIRST_SHOWN);
}

function ZoneRow({ zone, fallback }: { readonly zone: CampaignZone; readonly fallback: string }): ReactNode {
  const { timezone, at, recipients, remaining, resumes_at } = zone;
  return (
    <Table.Tr role="row">
      <Table.Th scope="row" role="rowheader" fw={400}>
        {timezone ?? `None known (${fallback})`}
      </Table.Th>
      <CardCell name="When">
        <Time at={resumes_at ?? at} isExact />
      </CardCell>
      <CardCell name="Recipients">{recipients.toLocaleString('en')}</CardCell>
      <CardCell name="Remaining">{remaining.toLocaleString('en')}</CardCell>
    </Table.Tr>
  );
}
