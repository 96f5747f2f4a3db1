import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

/** What every query of topics begins with. */
export const TOPICS = ['topics'];

export type Topic = Schemas['Topic'];

/** Whether emails of a topic go to whom made these choices. */
export function isOn({ key, defaultOn }: Topic, choices: Readonly<Record<string, boolean>>): boolean {
  return Object.hasOwn(choices, key) ? choices[key] === true : defaultOn;
}

/** In the order of the page on which people choose. */
export function topicsQuery() {
  return queryOptions({
    queryKey: TOPICS,
    queryFn: async ({ signal }) => (await answerOf(api.GET('/topics', { signal }))).topics,
  });
}
