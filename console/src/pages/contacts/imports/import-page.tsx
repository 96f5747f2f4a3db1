import { Button, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../../api/client.ts';
import { Detail, DetailSkeleton, Fact, Facts, Panel } from '../../../frame/detail.tsx';
import { Unread } from '../../../frame/not-here.tsx';
import { Page } from '../../../frame/page.tsx';
import { ReadsOnly } from '../../../frame/reads-only.tsx';
import { useSession } from '../../../session/session.tsx';
import { Confirm } from '../../../show/confirm.tsx';
import { CopiedId } from '../../../show/copied-id.tsx';
import { Download } from '../../../show/download.tsx';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { TemporalLink } from '../../../show/temporal-link.tsx';
import { Time } from '../../../show/time.tsx';
import { topicsQuery } from '../../topics/topic-queries.ts';
import { CONTACTS } from '../contact-queries.ts';
import { fieldWords } from './field-words.ts';
import { ImportProgress } from './import-progress.tsx';
import { IMPORT_LIST, IMPORTS, type Import, importQuery } from './import-queries.ts';
import { ImportStatus } from './import-status.tsx';
import { sizeWords } from './import-words.ts';

/** One import: how far it is, and what its rows came to. */
export function ImportPage({ id }: { readonly id: string }): ReactNode {
  const { data: shown, error, refetch } = useQuery(importQuery(id));
  const [failed, setFailed] = useState<unknown>(null);
  return (
    <Page
      title={shown?.filename ?? (error ? 'Import' : undefined)}
      beside={shown ? <ImportStatus shown={shown} /> : undefined}
      description={shown?.dry_run ? 'Dry run' : undefined}
      back={IMPORT_LIST}
      actions={shown ? <ImportActions shown={shown} onFailed={setFailed} /> : undefined}
    >
      {error ? <Unread error={error} onRetry={refetch} what="import" back={IMPORT_LIST} /> : null}
      {failed ? <FailureNotice error={failed} /> : null}
      {shown ? <Detail main={<ImportProgress shown={shown} />} aside={<About shown={shown} />} /> : error ? null : <DetailSkeleton />}
    </Page>
  );
}

interface ActionsGiven {
  readonly shown: Import;
  /** Told why it was not paused or resumed; null: another try begins. */
  readonly onFailed: (error: unknown) => void;
}

function ImportActions({ shown, onFailed }: ActionsGiven): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const isPaused = shown.status === 'paused';
  const params = { path: { id: shown.id } };
  const toggle = useMutation({
    mutationFn: () => answerOf(isPaused ? api.POST('/imports/{id}/resume', { params }) : api.POST('/imports/{id}/pause', { params })),
    onMutate: () => onFailed(null),
    onError: onFailed,
    onSettled: () => queries.invalidateQueries({ queryKey: IMPORTS }),
  });
  const isOpen = shown.ended_at === null;
  return (
    <>
      <TemporalLink workflowId={shown.workflow_id} />
      {shown.refused > 0 ? <Download path={`/imports/${shown.id}/refused`}>Refused rows (CSV)</Download> : null}
      {isOpen && !may('POST /imports') ? <ReadsOnly things="imports" doing="changing" operation="POST /imports" /> : null}
      {isOpen && may('POST /imports') ? (
        <>
          <Button
            variant="default"
            leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
            loading={toggle.isPending}
            onClick={() => toggle.mutate()}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
          <Button variant="default" onClick={() => setIsAsked(true)}>
            Cancel import…
          </Button>
        </>
      ) : null}
      <CancelQuestion shown={shown} opened={isAsked} onClose={() => setIsAsked(false)} />
    </>
  );
}

interface QuestionGiven {
  readonly shown: Import;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function CancelQuestion({ shown: { id, rows, dry_run }, opened, onClose }: QuestionGiven): ReactNode {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => answerOf(api.POST('/imports/{id}/cancel', { params: { path: { id } } })),
    onSuccess: onClose,
    onSettled: () => Promise.all([IMPORTS, CONTACTS].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Cancel this import?"
      action="Cancel import"
      keep="Keep importing"
      isFinal
      mutation={cancel}
    >
      <Text size="sm">
        {dry_run
          ? 'The rest of the file is not checked.'
          : `${rows.toLocaleString('en')} ${rows === 1 ? 'row is' : 'rows are'} done, and what they changed stays. The rest of the file is not imported. This cannot be undone.`}
      </Text>
    </Confirm>
  );
}

function About({ shown }: { readonly shown: Import }): ReactNode {
  const { data: topics = [] } = useQuery(topicsQuery());
  return (
    <>
      <Panel title="Import">
        <Facts>
          <Fact name="Id">
            <CopiedId value={shown.id} name="import id" />
          </Fact>
          <Fact name="Size">{sizeWords(shown.size)}</Fact>
          <Fact name="Started">
            <Time at={shown.created_at} />
          </Fact>
          <Fact name="Ended">{shown.ended_at ? <Time at={shown.ended_at} /> : null}</Fact>
        </Facts>
      </Panel>
      <Panel title="Columns">
        <Facts>
          {shown.columns.map(({ name, field }, index) => (
            <Fact key={index} name={name}>
              {field ? fieldWords(field, topics) : 'Left out'}
            </Fact>
          ))}
        </Facts>
      </Panel>
    </>
  );
}
