import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { LONGEST_NAME } from '../../api/limits.ts';
import { notifyFailed } from '../../show/notify.ts';
import { CAMPAIGNS, type Campaign } from './campaign-queries.ts';

const COPY = ' (copy)';

/** Makes a draft of all that a campaign was made with but its times, and opens it. */
export function useDuplicate(campaignOf: () => Promise<Pick<Campaign, 'id' | 'name'>>) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    async mutationFn() {
      const { id, name } = await campaignOf();
      const body = { copyOf: id, ...(name ? { name: `${name.slice(0, LONGEST_NAME - COPY.length)}${COPY}` } : {}) };
      return answerOf(api.POST('/campaigns', { params: { query: { draft: '1' } }, body }));
    },
    async onSuccess({ campaignId }) {
      navigate(`/${campaignId}/edit`);
      await queries.invalidateQueries({ queryKey: CAMPAIGNS });
    },
    onError: (error) => notifyFailed(`Not duplicated: ${asFailure(error).message}`),
  });
}
