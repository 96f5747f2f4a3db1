import { newCampaign } from './campaigns.ts';
import { HOUR_MS } from './campaigns-under-way.ts';
import type { TestProject } from './project.ts';
import { must } from './sequences.ts';

/** Without summer time, 14 hours east of UTC, where the day begins first. */
export const EAST = 'Pacific/Kiritimati';

/** The time that a zone so many hours east of UTC shows at an instant. */
export function shownAt(instant: number, hoursEast: number): { date: string; at: string } {
  const local = new Date(instant + hoursEast * HOUR_MS).toISOString();
  return { date: local.slice(0, 10), at: local.slice(11, 16) };
}

/** A tag that a contact in each of these zones has, and their addresses; null: one without any. */
export async function peopleIn(
  project: Pick<TestProject, 'api' | 'address'>,
  zones: readonly (string | null)[],
): Promise<{ tag: string; emails: string[] }> {
  const tag = `tag-${project.address().slice(7, 17)}`;
  const people = zones.map((timezone) => ({ email: project.address(), tags: [tag], timezone }));
  must(await project.api.post('/contacts', people), 200);
  return { tag, emails: people.map(({ email }) => email) };
}

/** Creates a campaign to all with the tag in local time; `template`: `newsletter` unless told. */
export function campaignAt(project: Pick<TestProject, 'api'>, tag: string, schedule: object, template = 'newsletter'): Promise<string> {
  return newCampaign(project, { template, audience: { mode: 'tag', tag }, schedule: { timezone: 'contact', ...schedule } });
}
