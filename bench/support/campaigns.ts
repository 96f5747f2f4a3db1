import { setTimeout as sleep } from 'node:timers/promises';
import { callApi } from './api-call.ts';
import type { BenchProject } from './bench-stack.ts';
import { LETTER } from './letter.ts';

/** The segment of the recipients that were written by SQL, made anew. */
export async function importedAudience(project: BenchProject): Promise<object> {
  const body = { label: `imported ${performance.now()}`, filter: { source: 'import' } };
  return { mode: 'segment', segmentId: (await callApi(project, 'POST', '/segments', body)).segment.id };
}

/** Sends the letter, from another brand than the default one where `brand` names it; answers with what POST /campaigns did. */
export async function startCampaign(
  project: BenchProject,
  audience: object,
  brand?: string,
): Promise<{ campaignId: string; enrolled: number }> {
  return callApi(project, 'POST', '/campaigns', { template: LETTER, type: 'marketing', audience, brand });
}

export async function sentOf(project: BenchProject, id: string): Promise<number> {
  return (await callApi(project, 'GET', `/campaigns/${id}`)).campaign.sent_count;
}

/** Waits for its end and answers with its record; throws when it failed. */
export async function campaignEnds(project: BenchProject, id: string) {
  for (;;) {
    const { campaign } = await callApi(project, 'GET', `/campaigns/${id}`);
    if (campaign.status === 'failed') throw new Error(`the campaign failed: ${campaign.reason}`);
    if (['sent', 'cancelled'].includes(campaign.status)) return campaign;
    await sleep(100);
  }
}
