import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { percent } from '../../show/percent.ts';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { CAMPAIGNS, type Campaign, type CampaignResults, hasEnded } from './campaign-queries.ts';
import { CardCell, CardTable } from './card-table.tsx';
import classes from './results.module.css';
import { FEWEST_SENT } from './variant-difference.ts';

type Test = NonNullable<Campaign['test']>;
type Verdict = NonNullable<CampaignResults['test']>;

const HITS: Readonly<Record<Exclude<Test['decideBy'], 'hand'>, string>> = { opens: 'Opened', clicks: 'Clicked', goal: 'Converted' };

const WON_BY: Readonly<Record<NonNullable<Test['decision']>['reason'], string>> = {
  significant: 'it was significantly better in the test',
  not_significant: 'the default, since the variants did not differ by more than chance',
  small_sample: 'the default, since too few people were in the test to tell',
  by_hand: 'somebody chose it',
  not_chosen: 'the default, since nobody chose in time',
};

const TELLS: Readonly<Record<NonNullable<Verdict['reason']>, (leader: string) => string>> = {
  significant: (leader) => `${leader} is significantly ahead.`,
  not_significant: () => 'No variant is ahead of the default by more than chance.',
  small_sample: () => `Too few people to tell: it takes ${FEWEST_SENT} emails of each variant, and some who do it.`,
};

interface Given {
  readonly campaign: Campaign;
  readonly test: Test;
  /** undefined while they are read. */
  readonly results: CampaignResults | undefined;
}

/** What a test tells, what the rest gets and why; chosen here by whoever may. */
export function TestPanel({ campaign, test, results }: Given): ReactNode {
  const { decision } = test;
  const verdict = results?.test ?? undefined;
  return (
    <Panel title="Test" flush>
      <Stack gap="xs" p="md">
        <Text size="sm">
          {decision ? (
            <>
              The rest gets <b>{decision.winner}</b>: {WON_BY[decision.reason]} (<Time at={decision.at} isExact />
              ).
            </>
          ) : (
            <Waiting campaign={campaign} test={test} />
          )}
        </Text>
        {verdict?.reason && !decision ? (
          <Text size="sm" c="dimmed">
            {TELLS[verdict.reason](verdict.leader ?? '')}
          </Text>
        ) : null}
        {decision || hasEnded(campaign) ? null : <Choice campaign={campaign} />}
      </Stack>
      {verdict && test.decideBy !== 'hand' ? <Tried verdict={verdict} winner={decision?.winner} /> : null}
      {test.decideBy === 'hand' ? <ByHand variants={results?.byVariant ?? []} winner={decision?.winner} /> : null}
    </Panel>
  );
}

function Waiting({ campaign, test }: Pick<Given, 'campaign' | 'test'>): ReactNode {
  if (hasEnded(campaign)) return 'It ended before a winner was found.';
  if (test.decides_at)
    return (
      <>
        {test.decideBy === 'hand' ? 'Unless somebody chooses before, the default goes on ' : 'The winner is decided on '}
        <Time at={test.decides_at} isExact />; the rest waits for it.
      </>
    );
  if (test.afterHours === null) return 'The rest waits until somebody chooses a winner.';
  if (test.decideBy === 'hand') return 'The rest waits until somebody chooses a winner, or for the default.';
  return `The winner is decided ${test.afterHours} ${test.afterHours === 1 ? 'hour' : 'hours'} after the last email of the test.`;
}

function Choice({ campaign }: Pick<Given, 'campaign'>): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<string>();
  const choose = useMutation({
    mutationFn: () =>
      answerOf(api.POST('/campaigns/{id}/winner', { params: { path: { id: campaign.id } }, body: { variant: asked ?? '' } })),
    onSuccess: async () => {
      setAsked(undefined);
      notifyDone(`The rest gets ${asked}`);
      await queries.invalidateQueries({ queryKey: CAMPAIGNS });
    },
  });
  if (!may('POST /campaigns/{id}/winner')) return null;
  return (
    <Group gap="xs">
      {campaign.variants?.map(({ key }) => (
        <Button key={key} size="xs" variant="default" onClick={() => setAsked(key)}>
          Choose {key}
        </Button>
      ))}
      <Confirm
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={`Send ${asked ?? ''} to the rest?`}
        action="Choose winner"
        mutation={choose}
      >
        Everybody who is not in the test gets it now. This cannot be changed.
      </Confirm>
    </Group>
  );
}

function Tried({ verdict, winner }: { readonly verdict: Verdict; readonly winner: string | undefined }): ReactNode {
  const hits = verdict.decideBy === 'hand' ? '' : HITS[verdict.decideBy];
  const columns = ['Variant', 'Emails', hits, 'Rate', 'Likely range'];
  return (
    <CardTable label="What the test tells" columns={columns} numbers={classes.numbers}>
      {verdict.variants.map(({ key, mails, hits: did, rate, low, high }) => (
        <Table.Tr key={key} role="row">
          <Table.Th scope="row" role="rowheader" fw={400}>
            {key} {key === winner ? <Status value="winner" tone="good" /> : null}
          </Table.Th>
          <CardCell name="Emails">{mails.toLocaleString('en')}</CardCell>
          <CardCell name={hits}>{(did ?? 0).toLocaleString('en')}</CardCell>
          <CardCell name="Rate">{mails === 0 ? '–' : percent(rate ?? 0, 1)}</CardCell>
          <CardCell name="Likely range">{mails === 0 ? '–' : `${percent(low ?? 0, 1)} to ${percent(high ?? 1, 1)}`}</CardCell>
        </Table.Tr>
      ))}
    </CardTable>
  );
}

interface Shown {
  readonly variants: NonNullable<CampaignResults['byVariant']>;
  readonly winner: string | undefined;
}

/** What each variant came to in the test, for whoever chooses: nothing is judged. */
function ByHand({ variants, winner }: Shown): ReactNode {
  const cell = (name: string, people: number, sent: number): ReactNode => (
    <CardCell name={name}>
      {people.toLocaleString('en')}
      {sent === 0 ? '' : ` (${percent(people, sent)})`}
    </CardCell>
  );
  return (
    <CardTable label="What the variants came to in the test" columns={['Variant', 'Emails', 'Opened', 'Clicked']} numbers={classes.numbers}>
      {variants.map(({ key, phases }) => {
        const { sent, opened, clicked } = phases?.test ?? { sent: 0, opened: 0, clicked: 0 };
        return (
          <Table.Tr key={key} role="row">
            <Table.Th scope="row" role="rowheader" fw={400}>
              {key} {key === winner ? <Status value="winner" tone="good" /> : null}
            </Table.Th>
            <CardCell name="Emails">{sent.toLocaleString('en')}</CardCell>
            {cell('Opened', opened, sent)}
            {cell('Clicked', clicked, sent)}
          </Table.Tr>
        );
      })}
    </CardTable>
  );
}
