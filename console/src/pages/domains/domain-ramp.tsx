import { Button, Progress, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { FormDialog } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { Time } from '../../show/time.tsx';
import type { DomainWithRecords } from './domain-queries.ts';
import { RampForm } from './ramp-form.tsx';

const TITLE = 'Daily ramp';

/** How many emails of campaigns may go from a domain today, and the way to change that. */
export function DomainRamp({ domain }: { readonly domain: DomainWithRecords }): ReactNode {
  const { may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const { ramp } = domain;
  return (
    <Panel
      title={TITLE}
      action={
        may('PATCH /domains/{id}') ? (
          <Button size="xs" variant="default" onClick={() => setIsAsked(true)}>
            {ramp ? 'Change ramp' : 'Set up ramp'}
          </Button>
        ) : undefined
      }
    >
      {ramp ? (
        <RampToday ramp={ramp} />
      ) : (
        <Text size="sm" c="dimmed">
          Campaigns send as many emails a day as there are. A new domain should begin with few.
        </Text>
      )}
      <FormDialog opened={isAsked} onClose={() => setIsAsked(false)} title={TITLE}>
        <RampForm domain={domain} onClose={() => setIsAsked(false)} />
      </FormDialog>
    </Panel>
  );
}

function RampToday({ ramp }: { readonly ramp: NonNullable<DomainWithRecords['ramp']> }): ReactNode {
  const { steps, day, allowance, used, resets_at } = ramp;
  if (allowance === null) {
    return (
      <Text size="sm">Done: it has been through its {steps.length.toLocaleString('en')} days, and there is no daily limit any more.</Text>
    );
  }
  const next = steps[day];
  return (
    <>
      <Facts>
        <Fact name="Today">
          {used.toLocaleString('en')} of {allowance.toLocaleString('en')} emails
        </Fact>
      </Facts>
      <Progress value={Math.min(100, (100 * used) / allowance)} aria-label="Used of today's allowance" my={6} />
      <Facts>
        <Fact name="Day">
          {day.toLocaleString('en')} of {steps.length.toLocaleString('en')}
        </Fact>
        <Fact name="Next day">
          {next === undefined ? 'No limit' : `${next.toLocaleString('en')} emails`}, <Time at={resets_at} />
        </Fact>
      </Facts>
    </>
  );
}
