import * as z from 'zod';
import type { BrandRow } from '../db/entities/index.ts';
import type { ApiKeyRecord, ProjectRecord as StoredProject } from '../db/queries/projects/administration.ts';
import { SCOPES } from '../domain/projects/scopes.ts';
import { SendWindowShown, shownWindow } from '../domain/send-window-schema.ts';
import { isOnDomain } from '../domain/sends/send.ts';
import { Timestamp } from './schemas.ts';

export const KeyRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    public_id: z
      .string()
      .meta({ description: 'The part of the key that may be shown: `ep_live_<public_id>_…`, of a test key `ep_test_<public_id>_…`' }),
    name: z.string().nullable().meta({ description: 'As whoever made it called it; null when it has no name' }),
    scopes: z.array(z.enum([...SCOPES, '*'])).meta({ description: 'What the key may do; `*` is everything' }),
    is_test: z.boolean().meta({ description: 'Whether it is a test key: no email that it asks for leaves' }),
    made_by: z.uuid().nullable().meta({ description: 'The id of the key that made it; null: an operator did' }),
    created_at: Timestamp.meta({ description: 'When it was made' }),
    last_used_at: Timestamp.nullable().meta({ description: 'To the minute; null: never used' }),
    revoked_at: Timestamp.nullable().meta({ description: 'From when on it does not work; null while it does' }),
  })
  .meta({ id: 'ApiKey', description: 'A key of the project, without what would let anybody in' });

export function keyRecord(key: ApiKeyRecord): z.output<typeof KeyRecord> {
  const { id, public_id, name, scopes, is_test, made_by, created_at, last_used_at, revoked_at } = key;
  return {
    ...{ id, public_id, name, is_test, made_by, created_at, last_used_at, revoked_at },
    scopes: scopes as z.output<typeof KeyRecord>['scopes'],
  };
}

const Share = z.number().nullable();

export const ProjectRecord = z
  .object({
    slug: z.string().meta({ description: 'Its name in commands' }),
    name: z.string().meta({ description: 'Its name for people' }),
    status: z.literal('active').meta({ description: 'The key of a suspended project is refused' }),
    owner_email_verified: z.boolean().meta({ description: 'While it is false nothing can be sent' }),
    sandbox: z.boolean().meta({ description: 'Whether it is a sandbox: its emails are made like any other and never leave' }),
    executables: z.boolean().meta({ description: 'Whether its emails may have attachments that are programs by their names' }),
    campaign_approval: z.boolean().meta({ description: 'Whether a second key approves a campaign before it is launched' }),
    campaign_limits: z
      .object({
        bounce_rate: Share.meta({ description: 'Of emails that bounced; null: none' }),
        complaint_rate: Share.meta({ description: 'Of emails that were reported as spam; null: none' }),
      })
      .meta({ id: 'CampaignLimits', description: 'Beyond which shares, 0 to 1, a campaign pauses by itself (PATCH /project)' }),
    send_window: SendWindowShown.nullable().meta({ description: 'When its marketing emails go (PATCH /project); null: at any time' }),
  })
  .meta({ id: 'Project', description: 'Whose key it is' });

/** Of a project that is active, as that of every key that is answered. */
export function projectRecord(project: StoredProject): z.output<typeof ProjectRecord> {
  const { slug, name, owner_email_verified, sandbox, executables, campaign_approval, send_window } = project;
  const { campaign_bounce_limit: bounce_rate, campaign_complaint_limit: complaint_rate } = project;
  const campaign_limits = { bounce_rate, complaint_rate };
  return {
    slug,
    name,
    status: 'active',
    owner_email_verified,
    sandbox,
    executables,
    campaign_approval,
    campaign_limits,
    send_window: shownWindow(send_window),
  };
}

export const BrandRecord = z
  .object({
    slug: z.string().meta({ description: 'What `brand` takes and `brand_id` shows' }),
    name: z.string().meta({ description: 'As recipients see it' }),
    from_email: z.string().nullable().meta({ description: 'The sender; null: this brand cannot send' }),
    from_name: z.string().nullable().meta({ description: "The sender's name; null: the brand's" }),
    reply_to: z.string().nullable().meta({ description: 'Where answers go; null: to the sender' }),
    is_default: z.boolean().meta({ description: 'Taken where no brand is named' }),
    is_verified: z.boolean().meta({ description: "Whether the sender's domain is verified for this project" }),
  })
  .meta({ id: 'Brand', description: 'Whom email is from' });

export function brandRecord(brand: BrandRow, verified: readonly string[]): z.output<typeof BrandRecord> {
  const { slug, name, from_email, from_name, reply_to, is_default } = brand;
  return { slug, name, from_email, from_name, reply_to, is_default, is_verified: from_email !== null && isOnDomain(from_email, verified) };
}
