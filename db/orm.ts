import { EntityCaseNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { type Pool, types } from 'pg';
import * as entities from './entities/index.ts';
import { OwnEntityManager } from './entity-manager.ts';
import { addHotPool, hotShare, PreparingClient } from './hot-statements.ts';
import { Migration0001Foundation } from './migrations/0001_foundation.ts';
import { Migration0002Audience } from './migrations/0002_audience.ts';
import { Migration0003FlowGraphs } from './migrations/0003_flow_graphs.ts';
import { Migration0004ContactCounts } from './migrations/0004_contact_counts.ts';
import { Migration0005Sending } from './migrations/0005_sending.ts';
import { Migration0006Addresses } from './migrations/0006_addresses.ts';
import { Migration0007GentleSweeps } from './migrations/0007_gentle_sweeps.ts';
import { Migration0008BulkChanges } from './migrations/0008_bulk_changes.ts';
import { Migration0009Reconcile } from './migrations/0009_reconcile.ts';
import { Migration0010SubflowTrees } from './migrations/0010_subflow_trees.ts';
import { Migration0011TriggerKeys } from './migrations/0011_trigger_keys.ts';
import { Migration0013Campaigns } from './migrations/0013_campaigns.ts';
import { Migration0014CampaignSends } from './migrations/0014_campaign_sends.ts';
import { Migration0016TextSearch } from './migrations/0016_text_search.ts';
import { Migration0017WebhookDeliveries } from './migrations/0017_webhook_deliveries.ts';
import { Migration0018OpenPages } from './migrations/0018_open_pages.ts';
import { Migration0019WebhookLists } from './migrations/0019_webhook_lists.ts';
import { Migration0020CampaignPace } from './migrations/0020_campaign_pace.ts';
import { Migration0021WebhookWrites } from './migrations/0021_webhook_writes.ts';
import { Migration0022ReconcilePasses } from './migrations/0022_reconcile_passes.ts';
import { Migration0023FailedSteps } from './migrations/0023_failed_steps.ts';
import { Migration0024SegmentConditions } from './migrations/0024_segment_conditions.ts';
import { Migration0025Erasures } from './migrations/0025_erasures.ts';
import { Migration0026ProjectTemplates } from './migrations/0026_project_templates.ts';
import { Migration0027FinishedPasses } from './migrations/0027_finished_passes.ts';
import { Migration0028SendCounts } from './migrations/0028_send_counts.ts';
import { Migration0029Lists } from './migrations/0029_lists.ts';
import { Migration0030EnrollmentStates } from './migrations/0030_enrollment_states.ts';
import { Migration0031ConsentChanges } from './migrations/0031_consent_changes.ts';
import { Migration0032TemplateSchemas } from './migrations/0032_template_schemas.ts';
import { Migration0033CancelledCampaigns } from './migrations/0033_cancelled_campaigns.ts';
import { Migration0034SegmentVersions } from './migrations/0034_segment_versions.ts';
import { Migration0035DeliveryPages } from './migrations/0035_delivery_pages.ts';
import { Migration0036TemplateSubjects } from './migrations/0036_template_subjects.ts';
import { Migration0037CancellingKeys } from './migrations/0037_cancelling_keys.ts';
import { Migration0038FailedRuns } from './migrations/0038_failed_runs.ts';
import { Migration0039SubmissionJournals } from './migrations/0039_submission_journals.ts';
import { Migration0040SlowedRuns } from './migrations/0040_slowed_runs.ts';
import { Migration0041AnswerNotes } from './migrations/0041_answer_notes.ts';
import { Migration0042RetriedSends } from './migrations/0042_retried_sends.ts';

const TIMESTAMPTZ = 1184;
const BIGINT = 20;

/** A Date for timestamptz and a number for bigint (counts stay far below 2^53), in hand-written SQL as in entities. */
const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (oid === TIMESTAMPTZ) return (text) => new Date(text);
    if (oid === BIGINT) return Number;
    return types.getTypeParser(oid, format as 'text');
  },
};

/** A pool that is so small keeps its connections, and has those for hot statements besides. */
const FEW = 4;

/** Milliseconds. */
export interface SessionLimits {
  /** A statement that takes longer is ended. */
  readonly statement?: number;
  /** So is one that waits longer for a lock. */
  readonly lock?: number;
  /** A transaction that asks nothing for so long is ended with its session: its locks must not outlive whoever forgot it. */
  readonly idleInTransaction?: number;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** What the server ends by itself; nothing when omitted. */
  readonly limits?: SessionLimits;
  /** WEBHOOK_BURST_AT, for statements that write deliveries: 200 when omitted. */
  readonly webhookBurstAt?: number;
  /** Milliseconds that a connection of the pool is waited for: 3,000 when omitted. */
  readonly patience?: number;
  /** Shown in pg_stat_activity, so that an operator sees which process holds a connection. */
  readonly applicationName: string;
}

/** The connection pool; connects when first used. Rows keep their column names: entities are written in snake_case. */
export async function openDatabase(options: DatabaseOptions): Promise<MikroORM> {
  const hot = hotShare(options.poolSize);
  return MikroORM.init({
    clientUrl: options.url,
    entities: Object.values(entities),
    extensions: [Migrator],
    entityManager: OwnEntityManager,
    namingStrategy: EntityCaseNamingStrategy,
    // Errors reach whoever asked; nothing is worth a line of the ORM's own.
    logger: () => undefined,
    pool: { min: 0, max: Math.max(Math.min(options.poolSize, FEW), options.poolSize - hot) },
    driverOptions: {
      Client: PreparingClient,
      onPoolCreated: (pool: Pool) => addHotPool(pool, hot),
      application_name: options.applicationName,
      ...(options.webhookBurstAt === undefined ? {} : { options: `-c everpost.webhook_burst_at=${options.webhookBurstAt}` }),
      connectionTimeoutMillis: options.patience ?? 3_000,
      ...(options.limits ? settingsOf(options.limits) : {}),
      keepAlive: true,
      types: typeParsers,
    },
    migrations: {
      // There is no 0012 and no 0015, and there never was. Numbers are names: migrations run in the order of this list.
      migrationsList: [
        { name: '0001_foundation', class: Migration0001Foundation },
        { name: '0002_audience', class: Migration0002Audience },
        { name: '0003_flow_graphs', class: Migration0003FlowGraphs },
        { name: '0004_contact_counts', class: Migration0004ContactCounts },
        { name: '0005_sending', class: Migration0005Sending },
        { name: '0006_addresses', class: Migration0006Addresses },
        { name: '0007_gentle_sweeps', class: Migration0007GentleSweeps },
        { name: '0008_bulk_changes', class: Migration0008BulkChanges },
        { name: '0009_reconcile', class: Migration0009Reconcile },
        { name: '0010_subflow_trees', class: Migration0010SubflowTrees },
        { name: '0011_trigger_keys', class: Migration0011TriggerKeys },
        { name: '0013_campaigns', class: Migration0013Campaigns },
        { name: '0014_campaign_sends', class: Migration0014CampaignSends },
        { name: '0016_text_search', class: Migration0016TextSearch },
        { name: '0017_webhook_deliveries', class: Migration0017WebhookDeliveries },
        { name: '0018_open_pages', class: Migration0018OpenPages },
        { name: '0019_webhook_lists', class: Migration0019WebhookLists },
        { name: '0020_campaign_pace', class: Migration0020CampaignPace },
        { name: '0021_webhook_writes', class: Migration0021WebhookWrites },
        { name: '0022_reconcile_passes', class: Migration0022ReconcilePasses },
        { name: '0023_failed_steps', class: Migration0023FailedSteps },
        { name: '0024_segment_conditions', class: Migration0024SegmentConditions },
        { name: '0025_erasures', class: Migration0025Erasures },
        { name: '0026_project_templates', class: Migration0026ProjectTemplates },
        { name: '0027_finished_passes', class: Migration0027FinishedPasses },
        { name: '0028_send_counts', class: Migration0028SendCounts },
        { name: '0029_lists', class: Migration0029Lists },
        { name: '0030_enrollment_states', class: Migration0030EnrollmentStates },
        { name: '0031_consent_changes', class: Migration0031ConsentChanges },
        { name: '0032_template_schemas', class: Migration0032TemplateSchemas },
        { name: '0033_cancelled_campaigns', class: Migration0033CancelledCampaigns },
        { name: '0034_segment_versions', class: Migration0034SegmentVersions },
        { name: '0035_delivery_pages', class: Migration0035DeliveryPages },
        { name: '0036_template_subjects', class: Migration0036TemplateSubjects },
        { name: '0037_cancelling_keys', class: Migration0037CancellingKeys },
        { name: '0038_failed_runs', class: Migration0038FailedRuns },
        { name: '0039_submission_journals', class: Migration0039SubmissionJournals },
        { name: '0040_slowed_runs', class: Migration0040SlowedRuns },
        { name: '0041_answer_notes', class: Migration0041AnswerNotes },
        { name: '0042_retried_sends', class: Migration0042RetriedSends },
      ],
      tableName: 'migrations',
      transactional: true,
      // Each commits on its own, so that none holds the locks of those before it.
      allOrNothing: false,
      snapshot: false,
    },
  });
}

function settingsOf({ statement, lock, idleInTransaction }: SessionLimits) {
  return {
    ...(statement === undefined ? {} : { statement_timeout: statement }),
    ...(lock === undefined ? {} : { lock_timeout: lock }),
    ...(idleInTransaction === undefined ? {} : { idle_in_transaction_session_timeout: idleInTransaction }),
  };
}

export type { EntityManager, MikroORM };
