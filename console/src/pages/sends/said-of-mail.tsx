import { Anchor, Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Fact } from '../../frame/detail.tsx';
import { sendErrorWords } from '../../show/send-error-words.ts';
import type { SendWithEvents } from './send-queries.ts';

/** What its call said of a mail beside its content: who gets copies, the reply address, headers, tags and metadata; these lead to the mails that share them. */
export function SaidOfMail({ send }: { readonly send: SendWithEvents }): ReactNode {
  const { cc, bcc, left_out, reply_to, headers, tags, metadata } = send;
  const data = Object.entries(metadata);
  const lines = Object.entries(headers);
  return (
    <>
      <Lines name="Cc" texts={cc} />
      <Lines name="Bcc" texts={bcc} />
      <Lines name="Left out" texts={left_out.map(leftOutWords)} />
      {reply_to ? <Fact name="Reply-to">{reply_to}</Fact> : null}
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

/** Each on a line of its own; nothing where there are none. */
function Lines({ name, texts }: { readonly name: string; readonly texts: readonly string[] }): ReactNode {
  if (texts.length === 0) return null;
  return (
    <Fact name={name}>
      <Stack gap={2}>
        {texts.map((text) => (
          <Text key={text} inherit style={{ overflowWrap: 'anywhere' }}>
            {text}
          </Text>
        ))}
      </Stack>
    </Fact>
  );
}

function leftOutWords({ email, reason, message }: SendWithEvents['left_out'][number]): string {
  return `${email}: ${sendErrorWords(message ? `${reason}: ${message}` : reason, email)}`;
}

/** The way to the mails that this filter finds. */
function Alike({ filter, children }: { readonly filter: Readonly<Record<string, string>>; readonly children: string }): ReactNode {
  return (
    <Anchor component={Link} href={inConsole(`/sends?${new URLSearchParams(filter)}`)} inherit style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Anchor>
  );
}
