import { Badge, Code, Group, Select, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { capitalized } from '../../letters.ts';
import { CopiedId } from '../../show/copied-id.tsx';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import type { DomainRecord, DomainWithRecords } from './domain-queries.ts';
import { otherTexts, purposeWords, stateWords } from './domain-words.ts';
import classes from './domains.module.css';
import { likelyZone, nameInZone, zonesOf } from './zone-names.ts';

/** The records to set, each to be copied to where DNS is hosted, with what stands there. */
export function DomainRecords({ domain: { domain, records } }: { readonly domain: DomainWithRecords }): ReactNode {
  const [zone, setZone] = useState(() => likelyZone(domain));
  const zones = zonesOf(domain);
  return (
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
        Most DNS hosts put {zone} behind a name by themselves: give them the name. Others ask for the full name. Values go in one piece and
        without quotes.
      </Text>
      <ul className={classes.records}>
        {records.map((record) => (
          <Line key={`${record.purpose} ${record.name}`} record={record} zone={zone} />
        ))}
      </ul>
    </Panel>
  );
}

function Line({ record, zone }: { readonly record: DomainRecord; readonly zone: string }): ReactNode {
  const { type, name, value, required, problem, unavailable, checked_at } = record;
  const { label, why } = purposeWords(record);
  const { value: state, tone } = stateWords(record);
  const others = otherTexts(record);
  const copied = (what: string): string => `${what} of ${label}`;
  return (
    <li className={classes.record}>
      <Group justify="space-between" gap="4px 12px">
        <Group gap={8} wrap="nowrap">
          <Title order={3} fz="sm">
            {label}
          </Title>
          <Badge size="sm">{required ? 'Required' : 'Recommended'}</Badge>
        </Group>
        <Text span size="sm">
          <Status value={state} tone={tone} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" mb={8}>
        {why}
      </Text>
      {problem ? (
        <Text size="sm" className={classes.problem} mb={8}>
          <Ticked>{sentence(problem)}</Ticked>
        </Text>
      ) : null}
      {unavailable ? (
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
        <Fact name="Value">
          <CopiedId value={value} name={copied('value')} isWhole />
        </Fact>
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
