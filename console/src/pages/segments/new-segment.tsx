import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Detail } from '../../frame/detail.tsx';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { Page } from '../../frame/page.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { draftOfSegment, filterOf } from './segment-draft.ts';
import { SegmentEditor } from './segment-editor.tsx';
import { SegmentPreview } from './segment-preview.tsx';
import { SEGMENTS } from './segment-queries.ts';

/** Makes a segment. */
export function NewSegment(): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [first] = useState(() => draftOfSegment());
  const [draft, setDraft] = useState(first);
  const { filter, isComplete } = filterOf(draft);
  const create = useMutation({
    mutationFn: () => answerOf(api.POST('/segments', { body: { label: draft.label, filter, brand: draft.brand } })),
    onSuccess: async ({ segment }) => {
      notifyDone(`${segment.label} is saved`);
      await queries.invalidateQueries({ queryKey: SEGMENTS });
      navigate(`/${segment.id}`, { replace: true });
    },
  });
  useLeaveGuard(draft !== first && !create.isSuccess);
  return (
    <Page
      title="New segment"
      back={{ to: '/', label: 'Segments' }}
      actions={
        <Button loading={create.isPending} disabled={!draft.label.trim() || !isComplete} onClick={() => create.mutate()}>
          Create segment
        </Button>
      }
    >
      {create.error ? <FailureNotice error={create.error} /> : null}
      <Detail
        main={<SegmentEditor draft={draft} onChange={setDraft} isNew isReadOnly={false} error={create.error} />}
        aside={<SegmentPreview draft={draft} />}
      />
    </Page>
  );
}
