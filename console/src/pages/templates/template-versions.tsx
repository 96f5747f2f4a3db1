import { Button, Group, Loader, Text, UnstyledButton, useComputedColorScheme } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { PreviewFrame } from '../../show/preview-frame.tsx';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { KeyWords } from '../keys/key-words.tsx';
import { contentChanges, type Said } from './content-changes.ts';
import { PreviewNotes } from './preview-notes.tsx';
import {
  type Edition,
  type MailData,
  type TemplateContent,
  templatePreviewQuery,
  templateVersionQuery,
  templateVersionsQuery,
  type Version,
} from './template-queries.ts';
import classes from './templates.module.css';

interface Given {
  readonly templateKey: string;
  readonly edition: Edition;
  /** What the template came with, before all versions; undefined: it has not come in this language. */
  readonly firstContent: TemplateContent | undefined;
  /** Whether the project has made it. */
  readonly isOwn: boolean;
  /** For the pictures of them. */
  readonly data: MailData;
  /** Goes on editing with what a version said; without a subject where none is known. */
  readonly onTake: (said: Said) => void;
}

/** A version of the list, or what was there before all of them. */
type Listed = Version | (Pick<Version, 'subject'> & { readonly version: 0; readonly created_at: string | null });

/** What a template came with and what a brand has saved of it, each version with its mail and with what it changed. */
export function TemplateVersions({ templateKey, edition, firstContent, isOwn, data, onTake }: Given): ReactNode {
  const versions = useInfiniteQuery(templateVersionsQuery(templateKey, edition));
  const [picked, setPicked] = useState<number>();
  if (versions.error && !versions.data) return <FailureNotice error={versions.error} onRetry={versions.refetch} />;
  if (!versions.data) return <Loader role="status" aria-label="Loading" />;
  const { pages } = versions.data;
  const first: Listed[] = versions.hasNextPage || !firstContent ? [] : pages.slice(-1).map((page) => ({ version: 0, ...page.first }));
  const all: readonly Listed[] = [...pages.flatMap((page) => page.versions), ...first];
  const at = Math.max(
    0,
    all.findIndex(({ version }) => version === picked),
  );
  const [chosen, before] = all.slice(at, at + 2);
  return (
    <div className={classes.versions}>
      <div>
        <ul className={classes.versionList} aria-label="Versions">
          {all.map((one) => (
            <li key={one.version}>
              <UnstyledButton className={classes.version} aria-pressed={one === chosen} onClick={() => setPicked(one.version)}>
                <span>
                  {wordsFor(one, isOwn).name}
                  {one.created_at ? (
                    <Text size="xs" c="dimmed">
                      <Time at={one.created_at} />
                    </Text>
                  ) : null}
                </span>
                {'state' in one ? <VersionState state={one.state} /> : null}
              </UnstyledButton>
            </li>
          ))}
        </ul>
        {versions.hasNextPage ? (
          <Button variant="subtle" color="gray" fullWidth loading={versions.isFetchingNextPage} onClick={() => versions.fetchNextPage()}>
            Show earlier ones
          </Button>
        ) : null}
      </div>
      {chosen ? (
        <Shown
          key={chosen.version}
          {...{ templateKey, edition, firstContent, data, onTake, chosen, before }}
          words={wordsFor(chosen, isOwn)}
          against={before && wordsFor(before, isOwn).before}
        />
      ) : null}
    </div>
  );
}

/** What one of the list is called, in the list and in the words around it. */
interface Words {
  readonly name: string;
  /** Behind `Edit from`. */
  readonly taken: string;
  /** Behind `Against`, beside the one above it in the list. */
  readonly before: string;
}

/** People count what was published; of drafts the time tells which it is. */
function wordsFor(one: Listed, isOwn: boolean): Words {
  if (!('state' in one)) {
    const inText = isOwn ? 'the original' : 'the built-in version';
    return { name: isOwn ? 'Original' : 'Built-in', taken: inText, before: inText };
  }
  if (one.publication === null) return { name: 'Draft', taken: 'this draft', before: 'the draft before it' };
  const inText = `version ${one.publication}`;
  return { name: `Version ${one.publication}`, taken: inText, before: inText };
}

/** A draft that is there is called so. */
function VersionState({ state }: Pick<Version, 'state'>): ReactNode {
  return state === 'published' || state === 'replaced' ? <Status value={state} /> : null;
}

interface ShownGiven extends Omit<Given, 'isOwn'> {
  readonly chosen: Listed;
  readonly words: Words;
  /** The one below it in the list; undefined while that is not read. */
  readonly before: Listed | undefined;
  /** What that is called. */
  readonly against: string | undefined;
}

function Shown({ templateKey, edition, firstContent, data, onTake, chosen, before, words, against }: ShownGiven): ReactNode {
  const scheme = useComputedColorScheme('light');
  const stored = useQuery({ ...templateVersionQuery(templateKey, chosen.version, edition), enabled: chosen.version > 0 });
  const storedBefore = useQuery({
    ...templateVersionQuery(templateKey, before?.version ?? 0, edition),
    enabled: (before?.version ?? 0) > 0,
  });
  const content = chosen.version > 0 ? stored.data?.content : firstContent;
  const contentBefore = before?.version === 0 ? firstContent : storedBefore.data?.content;
  const preview = useQuery({
    ...templatePreviewQuery(templateKey, {
      ...{ data, brand: edition.brand, subject: chosen.subject ?? undefined },
      ...(content ? { content } : {}),
    }),
    enabled: content !== undefined,
    placeholderData: undefined,
  });
  const error = stored.error ?? storedBefore.error;
  const says = content && { content, subject: chosen.subject ?? undefined };
  const saidBefore = contentBefore && { content: contentBefore, subject: before?.subject ?? undefined };
  return (
    <div>
      <Group justify="space-between" mb="sm" align="flex-start" wrap="nowrap">
        <div>
          <Text size="sm" fw={500}>
            {preview.data?.subject}
          </Text>
          <Text size="xs" c="dimmed">
            {'key_id' in chosen && chosen.key_id ? (
              <>
                Saved by <KeyWords id={chosen.key_id} />.{' '}
              </>
            ) : null}
            {'state' in chosen && chosen.state === 'superseded' && chosen.subject === null
              ? 'Its subject was not stored. This is the current one.'
              : null}
          </Text>
        </div>
        <Button variant="default" flex="none" disabled={!says} onClick={() => says && onTake(says)}>
          Edit from {words.taken}
        </Button>
      </Group>
      {says && saidBefore ? <Changes lines={contentChanges(saidBefore, says)} against={against ?? ''} /> : null}
      {error ? (
        <FailureNotice error={error} onRetry={() => void Promise.all([stored.refetch(), storedBefore.refetch()])} />
      ) : (
        <PreviewNotes preview={undefined} error={preview.error} onRetry={preview.refetch} />
      )}
      {preview.data ? <PreviewFrame html={preview.data.html} width={600} scheme={scheme} title={`Email of ${words.name}`} /> : null}
    </div>
  );
}

function Changes({ lines, against }: { readonly lines: readonly string[]; readonly against: string }): ReactNode {
  if (lines.length === 0) {
    return (
      <Text size="sm" mb="sm">
        Same content as {against}.
      </Text>
    );
  }
  return (
    <>
      <Text size="sm">Against {against}:</Text>
      <ul className={classes.changes}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}
