import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { Command } from '../../show/command.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { Time } from '../../show/time.tsx';
import { type DomainWithRecords, sendersOn } from './domain-queries.ts';
import { DomainRamp } from './domain-ramp.tsx';
import { DomainReputation } from './domain-reputation.tsx';
import { DomainSigning } from './domain-signing.tsx';

/** When DNS is asked, who sends from the domain, and how its email is signed. */
export function AboutDomain({ domain }: { readonly domain: DomainWithRecords }): ReactNode {
  const { project, brands } = useSession();
  const { checked_at, next_check_at, created_at, verified, id } = domain;
  const senders = sendersOn(domain, brands);
  return (
    <>
      <Panel title="Domain">
        <Facts>
          <Fact name="Checked">{checked_at ? <Time at={checked_at} /> : 'Not yet'}</Fact>
          <Fact name="Next check">{next_check_at ? <Time at={next_check_at} /> : domain.records.length > 0 ? 'In a moment' : 'None'}</Fact>
          <Fact name="Senders">
            {senders.length > 0
              ? senders.map(({ slug, name, from_email }) => (
                  <Anchor key={slug} component={Link} href={inConsole('/brands')} inherit display="block" title={name}>
                    {from_email}
                  </Anchor>
                ))
              : 'No brand yet'}
          </Fact>
          <Fact name="Added">
            <Time at={created_at} />
          </Fact>
          <Fact name="Id">
            <CopiedId value={id} name="domain id" />
          </Fact>
        </Facts>
      </Panel>
      <DomainReputation domain={domain} />
      <DomainRamp domain={domain} />
      {domain.records.length > 0 ? <DomainSigning domain={domain} /> : null}
      {verified ? null : (
        <Panel title="Without these records">
          <Text size="sm" mb={6}>
            Does your email provider sign with keys of its own? Then set the records that it shows you.
          </Text>
          <Command words="Whoever runs Everpost can vouch for the domain with" name="command that verifies the domain">
            {`npm run -s admin -- domain verify ${project.slug} ${domain.domain}`}
          </Command>
        </Panel>
      )}
    </>
  );
}
