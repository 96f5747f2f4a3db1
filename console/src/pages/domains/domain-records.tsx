import { Badge, Code, Group, Select, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { capitalized } from '../../letters.ts';
import { CopiedId } from '../../show/copied-id.tsx';
import { Status } from '../../show/status.tsx';
import { dayWords, Time } from '../../show/time.tsx';
import type { DomainRecord, DomainWithRecords } from './domain-queries.ts';
import classes from './domains.module.css';
import { badgesOf, labelOf, otherTexts, problemOf, stateWords, whyOf } from './record-words.ts';
import { likelyZone, nameInZone, zonesOf } from './zone-names.ts';

/** The records to set or to keep, each to be copied to where DNS is hosted, with what stands there; and below them those that can be removed. */
export function DomainRecords({ domain: { domain, records } }: { readonly domain: DomainWithRecords }): ReactNode {
  const [zone, setZone] = useState(() => likelyZone(domain));
  const zones = zonesOf(domain);
  const removable = records.filter(({ action }) => action === 'remove');
  return (
    <>
      <Panel
        title="DNS records"
        flush
        action={
          zones.length > 1 ? (
            <Group gap={8} wrap="nowrap">
              <Text size="sm" c="dimmed" aria-hidden style={{ flex: 'none' }}>
                DNS zone
              </Text>
              <Select
                aria-label="DNS zone"
                w={200}
                allowDeselect={false}
                data={[...zones]}
                value={zone}
                onChange={(to) => setZone(to ?? zone)}
              />
            </Group>
          ) : undefined
        }
      >
        <Text size="sm" c="dimmed" className={classes.hint}>
          Most DNS hosts put {zone} behind a name by themselves: give them the name. Others ask for the full name. Values go in one piece
          and without quotes.
        </Text>
        <ul className={classes.records}>
          {records
            .filter((record) => !removable.includes(record))
            .map((record) => (
              <Line key={`${record.purpose} ${record.name}`} record={record} all={records} zone={zone} />
            ))}
        </ul>
      </Panel>
      {removable.length > 0 ? (
        <Panel title="Records that can be removed" flush>
          <Text size="sm" c="dimmed" className={classes.hint}>
            Nothing needs these any more. Delete them where your DNS is hosted; they are listed here until they are gone.
          </Text>
          <ul className={classes.records}>
            {removable.map((record) => (
              <Line key={record.name} record={record} all={records} zone={zone} />
            ))}
          </ul>
        </Panel>
      ) : null}
    </>
  );
}

interface Given {
  readonly record: DomainRecord;
  readonly all: readonly DomainRecord[];
  readonly zone: string;
}

function Line({ record, all, zone }: Given): ReactNode {
  const { type, name, value, action, unavailable, checked_at } = record;
  const label = labelOf(record, all);
  const { value: state, tone } = stateWords(record, all);
  const isRemovable = action === 'remove';
  const problem = problemOf(record, all);
  const others = isRemovable ? [] : otherTexts(record);
  const copied = (what: string): string => `${what} of ${label}`;
  return (
    <li className={classes.record}>
      <Group justify="space-between" gap="4px 12px">
        <Group gap="4px 8px">
          <Title order={3} fz="sm">
            {label}
          </Title>
          {badgesOf(record, dayWords).map((badge) => (
            <Badge key={badge} size="sm">
              {badge}
            </Badge>
          ))}
        </Group>
        <Text span size="sm">
          <Status value={state} tone={tone} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" mb={8}>
        {whyOf(record, all)}
      </Text>
      {problem ? (
        <Text size="sm" className={classes.problem} mb={8}>
          <Ticked>{sentence(problem)}</Ticked>
        </Text>
      ) : null}
      {unavailable && !isRemovable ? (
        <Text size="sm" className={classes.problem} mb={8}>
          DNS did not answer the last time: {unavailable}. This is what it said before
          {checked_at ? (
            <>
              , <Time at={checked_at} />
            </>
          ) : null}
          .
        </Text>
      ) : null}
      <Facts>
        <Fact name="Type">{type}</Fact>
        <Fact name="Name">
          <CopiedId value={nameInZone(name, zone)} name={copied('name')} isWhole />
        </Fact>
        <Fact name="Full name">
          <CopiedId value={name} name={copied('full name')} isWhole />
        </Fact>
        {isRemovable ? null : (
          <Fact name="Value">
            <CopiedId value={value} name={copied('value')} isWhole />
          </Fact>
        )}
        {others.length > 0 ? (
          <Fact name="Found">
            {others.map((text) => (
              <Text key={text} size="sm" ff="monospace" className={classes.found}>
                {text}
              </Text>
            ))}
          </Fact>
        ) : null}
      </Facts>
    </li>
  );
}

/** What stands between backticks as code. */
function Ticked({ children }: { readonly children: string }): ReactNode {
  return children.split('`').map((part, index) => <Fragment key={index}>{index % 2 === 1 ? <Code>{part}</Code> : part}</Fragment>);
}

function sentence(text: string): string {
  return `${capitalized(text)}.`;
}
