import { Button, Menu, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Detail } from '../../frame/detail.tsx';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { DiscardChanges } from '../../show/discard-changes.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import { draftOfSegment, filterOf, type SegmentDraft } from './segment-draft.ts';
import { SegmentEditor } from './segment-editor.tsx';
import { SegmentPreview } from './segment-preview.tsx';
import { SEGMENTS, type Segment, segmentQuery } from './segment-queries.ts';

/** One segment: who is in it, and how that is said. */
export function SegmentPage({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(segmentQuery(id));
  if (data) return <Loaded segment={data} />;
  return (
    <Page title={error ? 'Segment' : undefined} back={{ to: '/', label: 'Segments' }}>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
    </Page>
  );
}

function Loaded({ segment }: { readonly segment: Segment }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<SegmentDraft>();
  const [saved, setSaved] = useState(() => draftOfSegment(segment));
  const draft = edited ?? saved;
  const { filter, isComplete } = filterOf(draft);
  const save = useMutation({
    mutationFn: () => answerOf(api.PATCH('/segments/{id}', { params: { path: { id: segment.id } }, body: { label: draft.label, filter } })),
    onSuccess: async () => {
      notifyDone(`${draft.label} is saved`);
      setSaved(draft);
      setEdited(undefined);
      await queries.invalidateQueries({ queryKey: SEGMENTS });
    },
  });
  useLeaveGuard(edited !== undefined);
  const canChange = may('contacts:write');
  const actions = canChange ? (
    <>
      {edited ? <DiscardChanges onDiscard={() => setEdited(undefined)} /> : null}
      <Button loading={save.isPending} disabled={!edited || !draft.label.trim() || !isComplete} onClick={() => save.mutate()}>
        Save
      </Button>
      <More segment={segment} />
    </>
  ) : undefined;
  return (
    <Page
      title={saved.label}
      description={<CopiedId value={segment.id} name="segment id" />}
      back={{ to: '/', label: 'Segments' }}
      actions={actions}
    >
      {save.error ? <FailureNotice error={save.error} /> : null}
      <Detail
        main={<SegmentEditor draft={draft} onChange={setEdited} isNew={false} isReadOnly={!canChange} error={save.error} />}
        aside={<SegmentPreview draft={draft} />}
      />
    </Page>
  );
}

function More({ segment }: { readonly segment: Segment }): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsked, setIsAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/segments/{id}', { params: { path: { id: segment.id } } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      notifyDone(`${segment.label} is deleted`);
      queries.removeQueries({ queryKey: [...SEGMENTS, segment.id] });
      await queries.invalidateQueries({ queryKey: SEGMENTS, exact: true });
    },
  });
  return (
    <>
      <MoreActions>
        <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => setIsAsked(true)}>
          Delete segment…
        </Menu.Item>
      </MoreActions>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete ${segment.label}?`}
        action="Delete"
        isFinal
        mutation={remove}
      >
        <Text size="sm">Its contacts stay. Campaigns that are scheduled for it find no audience and fail; running ones go on.</Text>
      </Confirm>
    </>
  );
}
