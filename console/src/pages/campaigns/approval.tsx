import { Alert, Button, Group, Text } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { capitalized } from '../../letters.ts';
import type { Operation } from '../../session/operations.ts';
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
  const { key } = useSession();
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
  return (
    <ApprovalNotice
      standing={draft}
      operation="POST /campaigns/{id}/approve"
      revoked="Any change to the campaign revokes the approval; its template and contacts can still change."
      isOwn={draft.changed_by?.id === key.id}
      approve={approve}
    />
  );
}

interface NoticeGiven {
  readonly standing: Pick<NonNullable<WholeCampaign['draft']>, 'approved_at' | 'approved_by' | 'changed_by'>;
  readonly operation: Operation;
  /** What takes the approval back. */
  readonly revoked: string;
  /** The key wrote the last change. */
  readonly isOwn: boolean;
  readonly approve: Pick<UseMutationResult<unknown, unknown, void>, 'mutate' | 'isPending' | 'error'>;
}

/** Of what needs an approval: by whom it has it, or who can give it. */
export function ApprovalNotice({ standing, operation, revoked, isOwn, approve }: NoticeGiven): ReactNode {
  const { may } = useSession();
  if (standing.approved_at) {
    return (
      <Alert color="green" role="status" title="Approved">
        <Text size="sm">
          By {nameOf(standing.approved_by)}, <Time at={standing.approved_at} />. {revoked}
        </Text>
      </Alert>
    );
  }
  return (
    <Alert color="orange" role="status" title="Needs approval">
      <Text size="sm">
        {isOwn
          ? 'You made the last change, so someone with another key has to approve it. Send them the link to this page.'
          : `${capitalized(nameOf(standing.changed_by))} made the last change. You, or someone with another key, have to approve it before it is sent.`}
      </Text>
      {approve.error ? <FailureNotice error={approve.error} /> : null}
      {!isOwn && may(operation) ? (
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
