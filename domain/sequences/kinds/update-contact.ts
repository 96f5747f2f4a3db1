import { defineKind, parts, RUN_VARIABLES } from './kind.ts';
import { UpdateContactConfig } from './update-contact-config.ts';

/** What it makes of the contact is in contact-update.ts. */
export const updateContact = defineKind({
  name: 'update_contact',
  summary: 'Writes to the contact',
  config: UpdateContactConfig,
  edges: { into: true, out: 'plain' },
  liquid: (config) => parts(config, 'set', 'addTags', 'removeTags'),
  variables: { names: { ...RUN_VARIABLES, now: null } },
  arrive: (update) => ({ does: 'update', update }),
});
