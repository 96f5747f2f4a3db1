import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fact, Facts } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { SavedMeanwhile } from '../../show/saved-meanwhile.tsx';
import { useAudienceWords } from './audience-name.tsx';
import type { WholeCampaign } from './campaign-queries.ts';
import type { DraftSaving, SavingShown } from './draft-saving.ts';

const WORDS: Readonly<Record<SavingShown['state'], string>> = {
  new: '',
  saved: 'Saved',
  unsaved: 'Unsaved changes',
  saving: 'Saving',
  failed: 'Not saved',
  theirs: 'Not saved',
  deleted: 'Not saved',
};

interface Given {
  readonly shown: SavingShown;
  /** Nothing of what is written has to be mended before it can be kept. */
  readonly isWhole: boolean;
  readonly isScheduled: boolean;
}

/** Beside the title: whether what is written is kept. */
export function DraftState({ shown: { state }, isWhole, isScheduled }: Given): ReactNode {
  const words = isScheduled && state === 'saved' ? '' : WORDS[state];
  return (
    <Text size="sm" c="dimmed" role="status" aria-label="Saving">
      {state === 'saved' && !isWhole ? 'Saved, except the marked fields' : words}
    </Text>
  );
}

interface AnotherGiven {
  readonly shown: SavingShown;
  readonly saving: DraftSaving;
  /** Goes on with what they saved. */
  readonly onTake: () => void;
}

/** What somebody else has saved meanwhile, and which of both is to stay; or why nothing could be saved. */
export function SavedByAnother({ shown: { state, theirs, error }, saving, onTake }: AnotherGiven): ReactNode {
  const replace = useMutation({ mutationFn: () => saving.replaceTheirs() });
  if (state === 'failed') return <FailureNotice error={error} onRetry={() => void saving.flush().catch(() => undefined)} />;
  if (state === 'deleted') return <DeletedByAnother saving={saving} />;
  if (!theirs) return null;
  const isGone =
    theirs.draft === undefined || (theirs.campaign.status === 'scheduled') !== (saving.shown.get().kept?.campaign.status === 'scheduled');
  return (
    <SavedMeanwhile
      title={isGone ? 'This campaign was launched' : 'Someone else changed this campaign'}
      says={
        isGone
          ? 'Your later changes are not in it.'
          : `${theirs.draft?.changed_by?.name ?? 'Another key'} saved it. Your changes are still here and not saved yet.`
      }
      theirs={{ title: 'Their version', size: 'xl', content: <Theirs whole={theirs} /> }}
      onTake={onTake}
      onReplace={isGone ? undefined : () => replace.mutate()}
      isSaving={replace.isPending}
    />
  );
}

/** What is written here is all there is of it. */
function DeletedByAnother({ saving }: { readonly saving: DraftSaving }): ReactNode {
  const keep = useMutation({ mutationFn: () => saving.keepAnew() });
  return (
    <Alert color="orange" role="alert" title="Someone deleted this draft">
      <Text size="sm">What you wrote is still here and not saved.</Text>
      <Group mt="xs">
        <Button variant="default" loading={keep.isPending} onClick={() => keep.mutate()}>
          Save as a new draft
        </Button>
      </Group>
    </Alert>
  );
}

function Theirs({ whole: { campaign, draft } }: { readonly whole: WholeCampaign }): ReactNode {
  const wordsOf = useAudienceWords();
  const { mode } = campaign.audience;
  return (
    <Facts>
      <Fact name="Name">{campaign.name || null}</Fact>
      <Fact name="Template">{campaign.template || null}</Fact>
      <Fact name="Subject">{draft?.subject ?? "the template's subject"}</Fact>
      <Fact name="For">{mode === 'people' && campaign.audience.count === 0 ? 'nobody yet' : wordsOf(campaign.audience)}</Fact>
      <Fact name="Data">{Object.keys(campaign.data).join(', ') || null}</Fact>
    </Facts>
  );
}
