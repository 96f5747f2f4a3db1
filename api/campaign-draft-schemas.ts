import * as z from 'zod';
import { SendTypeName, Timestamp } from './schemas.ts';

export const NamedKey = z
  .object({
    id: z.uuid().meta({ description: 'Of the key' }),
    name: z.string().nullable().meta({ description: 'As the operator called it; null when it has no name, or is gone' }),
  })
  .meta({ id: 'NamedKey', description: 'A key of the project' });

export const CampaignDraftState = z
  .object({
    version: z.int().meta({ description: 'Goes up with each change; for `ifVersion` of what changes, approves and launches it' }),
    changed_at: Timestamp.nullable().meta({ description: 'When it was changed last; null: not since it was scheduled' }),
    needs_approval: z.boolean().meta({ description: 'It is not sent before another key than that of the last change has approved it' }),
    approved_at: Timestamp.nullable().meta({ description: 'When it was approved as it is; null: it was not' }),
  })
  .meta({ id: 'CampaignDraftState', description: 'Where a campaign stands that can be changed still' });

export const CampaignDraft = CampaignDraftState.extend({
  changed_by: NamedKey.nullable().meta({ description: 'Whose change that was' }),
  subject: z.string().nullable().meta({ description: "As it was given; null: the template's own" }),
  type: SendTypeName.nullable().meta({ description: "As it was given; null: the template's own" }),
  brand: z.string().nullable().meta({ description: "As it was given; null: the project's default" }),
  approved_by: NamedKey.nullable().meta({ description: 'Who approved it' }),
}).meta({ id: 'CampaignDraft', description: 'What else there is to know of a campaign that can be changed still' });
