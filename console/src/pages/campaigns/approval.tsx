import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { capitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Time } from '../../show/time.tsx';
import type { WholeCampaign } from './campaign-queries.ts';
import type { DraftSaving } from './draft-saving.ts';

interface Given {
  readonly whole: WholeCampaign;
  /** Of the page that it is written on. */
  readonly saving?: DraftSaving;
  readonly onApproved?: () => void;
}

/** Whether a campaign that needs it is approved, and by whom; given here by whoever has not written the last change. */
export function Approval({ whole: { campaign, draft }, saving, onApproved }: Given): ReactNode {
  const { key, may } = useSession();
  const approve = useMutation({
    mutationFn: async () => {
      const { draft: seen } = saving ? await saving.flush() : { draft };
      const params = { path: { id: campaign.id }, query: { ifVersion: seen?.version ?? 0 } };
      return answerOf(api.POST('/campaigns/{id}/approve', { params }));
    },
    onSuccess(approved) {
      saving?.take(approved);
      onApproved?.();
    },
  });
  if (!draft?.needs_approval) return null;
  if (draft.approved_at) {
    return (
      <Alert color="green" role="status" title="Approved">
        <Text size="sm">
          By {nameOf(draft.approved_by)}, <Time at={draft.approved_at} />. Any change to the campaign revokes the approval; its template and
          contacts can still change.
        </Text>
      </Alert>
    );
  }
  const isOwn = draft.changed_by?.id === key.id;
  return (
    <Alert color="orange" role="status" title="Needs approval">
      <Text size="sm">
        {isOwn
          ? 'You made the last change, so someone with another key has to approve it. Send them the link to this page.'
          : `${capitalized(nameOf(draft.changed_by))} made the last change. You, or someone with another key, have to approve it before it is sent.`}
      </Text>
      {approve.error ? <FailureNotice error={approve.error} /> : null}
      {!isOwn && may('POST /campaigns/{id}/approve') ? (
        <Group mt="xs">
          <Button variant="default" loading={approve.isPending} onClick={() => approve.mutate()}>
            Approve
          </Button>
        </Group>
      ) : null}
    </Alert>
  );
}

function nameOf(by: NonNullable<WholeCampaign['draft']>['changed_by']): string {
  return by?.name ?? 'an unnamed key';
}
