import { recurringAtFault } from '../../../db/queries/campaigns/recurring-campaigns.ts';
import { heldCampaigns } from '../../../db/queries/operations/attention.ts';
import { pausedWords } from '../../../domain/campaigns/campaign-limits.ts';
import type { KeyContext } from '../../route.ts';
import type { Item } from './attention-item.ts';

/** Those that go on only when somebody or something else does. */
export async function campaigns({ em, project }: KeyContext): Promise<Item[]> {
  return (await heldCampaigns(em, project.id)).map(({ id, name, paused, paused_reason, reason, lacks_segment, lacks_approval }): Item => {
    const about = { about: id, count: null };
    if (lacks_segment) {
      const message = `the segment that the campaign ${name} is scheduled for was deleted, so it will find nobody; cancel it and make it anew`;
      return { kind: 'campaign_without_segment', ...about, message };
    }
    if (lacks_approval && !paused) {
      const message = `the campaign ${name} was changed after it was scheduled and does not begin before another key has approved that`;
      return { kind: 'campaign_held', ...about, message };
    }
    if (paused && paused_reason) {
      const message = `the campaign ${name} has paused by itself: ${pausedWords(paused_reason)}; resume or cancel it`;
      return { kind: 'campaign_held', ...about, message };
    }
    const message = paused
      ? `the campaign ${name} is paused; resume or cancel it`
      : `the campaign ${name} waits: ${reason ?? 'the provider is away'}`;
    return { kind: 'campaign_held', ...about, message };
  });
}

/** Ten minutes: a worker that begins again, or Temporal, is back by then. */
const OVERDUE_MS = 600_000;

/** Those that make no campaigns, or whose last one was not made. */
export async function recurring({ em, project }: KeyContext): Promise<Item[]> {
  const found = await recurringAtFault(em, project.id, OVERDUE_MS);
  return found.map(({ id, name, template, outcome, reason, lacks_approval, is_overdue }): Item => {
    const what = `the recurring campaign ${name || template}`;
    const about = { about: id, count: null };
    if (lacks_approval) {
      const message = `${what} makes no campaign before another key than that of the last change has approved it`;
      return { kind: 'recurring_held', ...about, message };
    }
    if (is_overdue) {
      const message = `${what} is due and nobody makes its campaign: no worker runs, or its schedule was paused in Temporal; the latest is made when it goes on`;
      return { kind: 'recurring_held', ...about, message };
    }
    const became = outcome === 'missed' ? 'was missed' : 'could not be made';
    const message = `the last campaign of ${what} ${became}: ${reason}; the next run goes on by itself`;
    return { kind: 'recurring_not_made', ...about, message, ...(reason === null ? {} : { reason }) };
  });
}
