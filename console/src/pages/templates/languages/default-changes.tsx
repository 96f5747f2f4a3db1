import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { contentChanges } from '../content-changes.ts';
import { type StoredContent, sentContent, templateVersionQuery, templateVersionsQuery } from '../template-queries.ts';
import classes from '../templates.module.css';

interface Given {
  readonly templateKey: string;
  readonly brand: string | undefined;
  readonly ofDefault: StoredContent;
  readonly subjectOfDefault: string;
  /** Which version was published in the language: what the default said then is compared with what it says now. */
  readonly since: number;
}

/** What a language has to catch up with; nothing while that is not known. */
export function DefaultChanges({ templateKey, brand, ofDefault, subjectOfDefault, since }: Given): ReactNode {
  const edition = { brand, locale: undefined };
  const versions = useInfiniteQuery(templateVersionsQuery(templateKey, edition));
  const then = versions.data?.pages
    .flatMap((page) => page.versions)
    .find(({ version, publication }) => publication !== null && version < since);
  const stored = useQuery({ ...templateVersionQuery(templateKey, then?.version ?? 0, edition), enabled: then !== undefined });
  const isFirst = versions.data !== undefined && !then && !versions.hasNextPage;
  const content = isFirst ? ofDefault.defaultContent : stored.data?.content;
  if (!content) return null;
  const own = versions.data?.pages[0]?.first.subject;
  // One that is empty is the template's own; null of versions from before it was kept: then it is not compared.
  const subject = then ? (then.subject === '' ? own : (then.subject ?? undefined)) : own;
  const lines = contentChanges({ content, subject }, { content: sentContent(ofDefault), subject: subjectOfDefault });
  if (lines.length === 0) return subject === undefined ? null : <Text size="sm">It says the same as before, so publishing is enough.</Text>;
  return (
    <>
      <Text size="sm" mt={4}>
        Changed in the default since:
      </Text>
      <ul className={classes.changes}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}
