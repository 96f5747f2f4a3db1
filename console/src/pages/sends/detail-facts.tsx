import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Fact } from '../../frame/detail.tsx';
import { sendErrorWords } from '../../show/send-error-words.ts';
import type { SendWithEvents } from './send-queries.ts';

/** What its caller said of the mail: who else got it, where answers go, and the caller's own words. */
export function DetailFacts({ send }: { readonly send: SendWithEvents }): ReactNode {
  const { cc, bcc, left_out, reply_to, headers, tags, metadata } = send;
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Cc', cc],
    ['Bcc', bcc],
    ['Left out', left_out.map(({ email, reason, message }) => `${email}: ${sendErrorWords(message ? `${reason}: ${message}` : reason)}`)],
    ['Answers go to', reply_to === null ? [] : [reply_to]],
    ['Headers', named(headers)],
    ['Metadata', named(metadata)],
  ];
  return (
    <>
      {facts.map(([name, texts]) =>
        texts.length > 0 ? (
          <Fact key={name} name={name}>
            {lines(texts)}
          </Fact>
        ) : null,
      )}
      {tags.length > 0 ? (
        <Fact name="Tags">
          {tags.map((tag) => (
            <Anchor key={tag} component={Link} href={inConsole(`/sends?${new URLSearchParams({ tag })}`)} inherit display="block">
              {tag}
            </Anchor>
          ))}
        </Fact>
      ) : null}
    </>
  );
}

function named(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).map(([name, value]) => `${name}: ${value}`);
}

/** Each on a line of its own. */
function lines(texts: readonly string[]): ReactNode {
  return texts.map((text) => (
    <span key={text} style={{ display: 'block', overflowWrap: 'anywhere' }}>
      {text}
    </span>
  ));
}
