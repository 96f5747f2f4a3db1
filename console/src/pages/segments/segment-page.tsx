import { Alert, Button, CopyButton, Menu, Text } from '@mantine/core';
import { IconCopy, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Detail, DetailSkeleton } from '../../frame/detail.tsx';
import { useForm } from '../../frame/form.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { SAVE_KEY } from '../../frame/save-key.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { DiscardChanges } from '../../show/discard-changes.tsx';
import { DownloadItem } from '../../show/download.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { useCreateSegment } from './create-segment.ts';
import { ruleFaults } from './rule-faults.ts';
import { segmentFaults } from './segment-draft.ts';
import { SegmentEditor } from './segment-editor.tsx';
import { SegmentPreview } from './segment-preview.tsx';
import { SavedMeanwhile, SEGMENT_LIST, SEGMENTS, type Segment, segmentQuery } from './segment-queries.ts';
import { SegmentRules } from './segment-rules.tsx';
import { SegmentUses } from './segment-uses.tsx';
import { useEditedSegment } from './use-edited-segment.ts';

const FORM = 'segment';

/** One segment: who is in it, and how that is said. */
export function SegmentPage({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(segmentQuery(id));
  if (data) return <Loaded segment={data} />;
  return (
    <Page title={error ? 'Segment' : undefined} back={SEGMENT_LIST}>
      {error ? <Unread error={error} onRetry={refetch} what="segment" back={SEGMENT_LIST} /> : <DetailSkeleton />}
    </Page>
  );
}

function Loaded({ segment }: { readonly segment: Segment }): ReactNode {
  const { may } = useSession();
  const { base, draft, isEdited, edit, save, saveOver, discard, isDeleted, isLate } = useEditedSegment(segment);
  const create = useCreateSegment();
  // That is told by the segment that is there now.
  const notSaved = save.error instanceof SavedMeanwhile ? undefined : save.error;
  const failure = isDeleted ? create.error : notSaved;
  const faults = ruleFaults(failure, (isDeleted ? create.variables : save.variables?.draft)?.where);
  const { props, errorOf } = useForm({
    faults: segmentFaults(draft),
    error: failure,
    isPending: save.isPending || create.isPending,
    isUnsaved: isEdited && !create.isSuccess,
    isSavedByKey: true,
    onSubmit: () => (isDeleted ? create.mutate(draft) : saveOver(base.version)),
  });
  const canChange = may('PATCH /segments/{id}');
  const actions = (
    <>
      {canChange ? (
        <>
          {isEdited ? <DiscardChanges onDiscard={discard} /> : null}
          <Button type="submit" form={FORM} loading={save.isPending || create.isPending} disabled={!isEdited} {...SAVE_KEY}>
            {isDeleted ? 'Save as a new segment' : 'Save'}
          </Button>
        </>
      ) : (
        <ReadsOnly things="segments" doing="changing" operation="PATCH /segments/{id}" />
      )}
      <More segment={segment} canChange={canChange && !isDeleted} />
    </>
  );
  return (
    <Page title={base.label} isLong back={SEGMENT_LIST} actions={actions}>
      {isLate ? <ChangedMeanwhile base={base} theirs={segment} onReplace={() => saveOver(segment.version)} onTake={discard} /> : null}
      {isDeleted ? (
        <Alert color="orange" role="alert" title="This segment was deleted">
          <Text size="sm">Your changes are still here. You can save them as a new segment.</Text>
        </Alert>
      ) : null}
      {failure && !faults ? <FailureNotice error={failure} /> : null}
      <Detail
        main={
          canChange ? (
            <form id={FORM} {...props}>
              <SegmentEditor draft={draft} onChange={edit} isNew={false} error={failure} faults={faults} errorOf={errorOf} />
            </form>
          ) : (
            <SegmentRules segment={segment} />
          )
        }
        aside={
          <>
            <SegmentPreview draft={draft} listed={isEdited ? undefined : segment.id} />
            {isDeleted ? null : <SegmentUses id={segment.id} />}
          </>
        }
      />
    </Page>
  );
}

function More({ segment, canChange }: { readonly segment: Segment; readonly canChange: boolean }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsked, setIsAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/segments/{id}', { params: { path: { id: segment.id } } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      notifyDone(`${segment.label} deleted`);
      queries.removeQueries({ queryKey: [...SEGMENTS, segment.id] });
      await queries.invalidateQueries({ queryKey: SEGMENTS, exact: true });
    },
  });
  return (
    <>
      <MoreActions>
        {may('GET /segments/{id}/export') ? (
          <DownloadItem path={`/segments/${segment.id}/export`}>Export contacts (CSV)</DownloadItem>
        ) : null}
        <CopyButton value={segment.id}>
          {({ copy }) => (
            <Menu.Item
              leftSection={<IconCopy size={15} />}
              onClick={() => {
                copy();
                notifyDone('Segment ID copied');
              }}
            >
              Copy ID
            </Menu.Item>
          )}
        </CopyButton>
        {canChange ? (
          <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => setIsAsked(true)}>
            Delete segment…
          </Menu.Item>
        ) : null}
      </MoreActions>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete ${segment.label}?`}
        action="Delete"
        isFinal
        mutation={remove}
      >
        <Text size="sm">
          Its contacts stay. Campaigns scheduled for it will fail because they have no audience, and recurring campaigns for it create none;
          running campaigns continue.
        </Text>
      </Confirm>
    </>
  );
}
