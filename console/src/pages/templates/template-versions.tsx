import { Button, Group, Loader, Text, UnstyledButton, useComputedColorScheme } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Empty } from '../../show/empty.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { PreviewFrame } from '../../show/preview-frame.tsx';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { PreviewNotes } from './preview-notes.tsx';
import {
  type MailData,
  type TemplateContent,
  templatePreviewQuery,
  templateVersionQuery,
  templateVersionsQuery,
} from './template-queries.ts';
import classes from './templates.module.css';

interface Given {
  readonly templateKey: string;
  readonly brand: string | undefined;
  /** For the pictures of them. */
  readonly data: MailData;
  /** Goes on editing with what a version said. */
  readonly onTake: (content: TemplateContent) => void;
}

/** What a brand has saved of a template, each version with its mail. */
export function TemplateVersions({ templateKey, brand, data, onTake }: Given): ReactNode {
  const versions = useInfiniteQuery(templateVersionsQuery(templateKey, brand));
  const [picked, setPicked] = useState<number>();
  const all = versions.data?.pages.flat();
  const chosen = picked ?? all?.[0]?.version;
  if (versions.error && !all) return <FailureNotice error={versions.error} onRetry={versions.refetch} />;
  if (!all) return <Loader role="status" aria-label="Loading" />;
  if (chosen === undefined)
    return <Empty title="No versions yet" text="The mail is as it ships. Each version that is saved is listed here." />;
  return (
    <div className={classes.versions}>
      <div>
        <ul className={classes.versionList} aria-label="Versions">
          {all.map(({ version, state, created_at }) => (
            <li key={version}>
              <UnstyledButton className={classes.version} aria-pressed={version === chosen} onClick={() => setPicked(version)}>
                <span>
                  Version {version}
                  <Text size="xs" c="dimmed">
                    <Time at={created_at} />
                  </Text>
                </span>
                {state === 'superseded' ? null : <Status value={state} />}
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
      <Version key={chosen} templateKey={templateKey} brand={brand} version={chosen} data={data} onTake={onTake} />
    </div>
  );
}

function Version({ templateKey, brand, version, data, onTake }: Given & { readonly version: number }): ReactNode {
  const scheme = useComputedColorScheme('light');
  const { data: stored, error, refetch } = useQuery(templateVersionQuery(templateKey, version, brand));
  const content = stored?.content;
  const preview = useQuery({
    ...templatePreviewQuery(templateKey, { data, brand, ...(content ? { content } : {}) }),
    enabled: content !== undefined,
    placeholderData: undefined,
  });
  return (
    <div>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed">
          {preview.data?.subject}
        </Text>
        <Button variant="default" disabled={!content} onClick={() => content && onTake(content)}>
          Edit from version {version}
        </Button>
      </Group>
      {error ? (
        <FailureNotice error={error} onRetry={refetch} />
      ) : (
        <PreviewNotes preview={undefined} error={preview.error} onRetry={preview.refetch} />
      )}
      {preview.data ? <PreviewFrame html={preview.data.html} width={600} scheme={scheme} title={`Mail of version ${version}`} /> : null}
    </div>
  );
}
