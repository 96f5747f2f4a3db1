import { Anchor, Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Fact } from '../../frame/detail.tsx';
import type { SendWithEvents } from './send-queries.ts';

/** What its call said of a mail beside its content: the reply address, headers, tags and metadata; these lead to the mails that share them. */
export function SaidOfMail({ send: { reply_to, headers, tags, metadata } }: { readonly send: SendWithEvents }): ReactNode {
  const data = Object.entries(metadata);
  const lines = Object.entries(headers);
  return (
    <>
      {reply_to ? <Fact name="Replies go to">{reply_to}</Fact> : null}
      {lines.length > 0 ? (
        <Fact name="Headers">
          <Stack gap={2}>
            {lines.map(([name, value]) => (
              <Code key={name} style={{ overflowWrap: 'anywhere' }}>
                {name}: {value}
              </Code>
            ))}
          </Stack>
        </Fact>
      ) : null}
      {tags.length > 0 ? (
        <Fact name="Tags">
          <Stack gap={2}>
            {tags.map((tag) => (
              <Alike key={tag} filter={{ tag }}>
                {tag}
              </Alike>
            ))}
          </Stack>
        </Fact>
      ) : null}
      {data.length > 0 ? (
        <Fact name="Metadata">
          <Stack gap={2}>
            {data.map(([name, value]) => (
              <Text key={name} inherit style={{ overflowWrap: 'anywhere' }}>
                {name}: <Alike filter={{ metadata: `${name}:${value}` }}>{value}</Alike>
              </Text>
            ))}
          </Stack>
        </Fact>
      ) : null}
    </>
  );
}

/** The way to the mails that this filter finds. */
function Alike({ filter, children }: { readonly filter: Readonly<Record<string, string>>; readonly children: string }): ReactNode {
  return (
    <Anchor component={Link} href={inConsole(`/sends?${new URLSearchParams(filter)}`)} inherit style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Anchor>
  );
}
