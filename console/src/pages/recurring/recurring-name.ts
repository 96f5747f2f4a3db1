import { useTemplateNames } from '../campaigns/campaign-name.ts';
import type { Recurring } from './recurring-queries.ts';

type Called = Pick<Recurring, 'name' | 'template'>;

/** How recurring campaigns are called: by their names, or those of their templates. */
export function useRecurringNames(): (recurring: Called) => string {
  const templateOf = useTemplateNames();
  return ({ name, template }) => name || templateOf(template);
}
