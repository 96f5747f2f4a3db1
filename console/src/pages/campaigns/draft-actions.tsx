import { Button, CopyButton, Menu, Text } from '@mantine/core';
import { IconCheck, IconLink, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { Confirm } from '../../show/confirm.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import { CAMPAIGNS, type WholeCampaign } from './campaign-queries.ts';
import type { DraftSaving } from './draft-saving.ts';
import { useDuplicate } from './duplicate.ts';

/** The link to a draft, a copy of it, and its end. */
export function DraftActions({ whole: { campaign }, saving }: { readonly whole: WholeCampaign; readonly saving: DraftSaving }): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsked, setIsAsked] = useState(false);
  const duplicate = useDuplicate(async () => (await saving.flush()).campaign);
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/campaigns/{id}', { params: { path: { id: campaign.id } } })),
    async onSuccess() {
      saving.forget();
      notifyDone('Draft deleted');
      navigate('/', { replace: true });
      await queries.invalidateQueries({ queryKey: CAMPAIGNS });
    },
  });
  const link = `${window.location.origin}${inConsole(`/campaigns/${campaign.id}/edit`).replace(/^~/, '')}`;
  return (
    <>
      <CopyButton value={link} timeout={1500}>
        {({ copied, copy }) => (
          <Button variant="default" leftSection={copied ? <IconCheck size={14} /> : <IconLink size={14} />} onClick={copy}>
            {copied ? 'Link copied' : 'Copy link'}
          </Button>
        )}
      </CopyButton>
      <MoreActions>
        <Menu.Item onClick={() => duplicate.mutate()}>Duplicate</Menu.Item>
        <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => setIsAsked(true)}>
          Delete draft…
        </Menu.Item>
      </MoreActions>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title="Delete this draft?"
        action="Delete draft"
        isFinal
        mutation={remove}
      >
        <Text size="sm">Nobody gets it. This cannot be undone.</Text>
      </Confirm>
    </>
  );
}
