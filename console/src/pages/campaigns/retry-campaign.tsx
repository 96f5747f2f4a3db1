import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { sendErrorWords } from '../../show/send-error-words.ts';
import { MAY_ARRIVE_TWICE } from '../sends/retry-send.tsx';
import { SENDS } from '../sends/send-queries.ts';
import { CAMPAIGNS, type Campaign } from './campaign-queries.ts';

type Outcome = Schemas['RecipientFailure'];

function failuresQuery({ id, failed_count }: Campaign) {
  return queryOptions({
    queryKey: [...CAMPAIGNS, id, 'failures', failed_count],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/campaigns/{id}/failures', { params: { path: { id } }, signal }))).failures,
  });
}

/** Sends a campaign again to those whose mail failed, for the reasons chosen; as far as its state and the key allow. */
export function RetryCampaign({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const isOver = campaign.ends_at !== null && Date.parse(campaign.ends_at) <= Date.now();
  const isOffered = campaign.status === 'sent' && campaign.failed_count > 0 && !isOver && may('POST /campaigns/{id}/retry');
  const { data: failures = [] } = useQuery({ ...failuresQuery(campaign), enabled: isOffered });
  const retry = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/campaigns/{id}/retry', {
          params: { path: { id: campaign.id } },
          body: { outcomes: chosen.map((name) => name as Outcome) },
        }),
      ),
    onSuccess: ({ retried, more }) => {
      setIsAsked(false);
      setChosen([]);
      notifyDone(`Resending to ${retried.toLocaleString('en')}${more ? '. Resend again for the rest' : ''}`);
    },
    onSettled: () => Promise.all([CAMPAIGNS, SENDS].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  if (!isOffered || failures.length === 0) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconRepeat size={14} />} onClick={() => setIsAsked(true)}>
        Resend to failed recipients…
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title="Resend to failed recipients?"
        action="Resend"
        keep="Go back"
        mutation={retry}
      >
        <Stack gap="sm">
          <Text size="sm">Each of them gets it once more, unless the address may get no email by now.</Text>
          <Checkbox.Group label="Which recipients" value={[...chosen]} onChange={setChosen}>
            <Stack gap="xs" mt={6}>
              {failures.map(({ reason, count }) => (
                <Checkbox
                  key={reason}
                  value={reason}
                  size="sm"
                  label={`${sendErrorWords(reason)}: ${count.toLocaleString('en')}`}
                  description={reason === 'outcome_unknown' ? MAY_ARRIVE_TWICE : undefined}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        </Stack>
      </Confirm>
    </>
  );
}
