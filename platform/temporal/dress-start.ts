import type { CampaignStart } from '../../db/queries/campaign-starts.ts';
import type { EnrollmentStart } from '../../db/queries/enrollment-starts.ts';
import { entryNode, nodeAfter, type SequenceGraph } from '../../domain/sequence/graph.ts';
import { type CampaignInput, type EnrollmentInput, SEARCH_ATTRIBUTES, type WorkflowType } from '../../workflows/contracts.ts';

/** A workflow as Temporal is told to start it. */
export interface DressedStart {
  readonly workflowType: WorkflowType;
  readonly input: EnrollmentInput | CampaignInput;
  readonly searchAttributes: Readonly<Record<string, string>>;
  /** Shown in Temporal Web; names and ids, no addresses. */
  readonly summary: string;
  /** On shared queues 1 goes first and 5 last. */
  readonly priority: number;
  /** Fairness among projects on shared queues. */
  readonly fairnessKey: string;
}

/** Runs that one person's doing started go before those of a bulk call. */
const SINGLE_RUN = 3;
const BULK_RUN = 5;
const CAMPAIGN_RUN = 5;

/** What operators see of a run from its first moment on, and how it queues: decisions.md 16.3. */
export function dressEnrollment({ id, contactId, isBulk, projectSlug, sequence }: EnrollmentStart): DressedStart {
  const { key, name, graph } = sequence;
  return {
    workflowType: 'enrollment',
    input: { enrollmentId: id },
    searchAttributes: {
      [SEARCH_ATTRIBUTES.project]: projectSlug,
      [SEARCH_ATTRIBUTES.sequence]: key,
      [SEARCH_ATTRIBUTES.contact]: contactId,
      [SEARCH_ATTRIBUTES.node]: firstNode(graph),
      [SEARCH_ATTRIBUTES.state]: 'running',
    },
    summary: `${name} (${key}) for contact ${contactId}`,
    priority: isBulk ? BULK_RUN : SINGLE_RUN,
    fairnessKey: projectSlug.slice(0, 64),
  };
}

/** The same of a campaign. */
export function dressCampaign({ id, name, template, status, total_recipients, projectSlug }: CampaignStart): DressedStart {
  return {
    workflowType: 'campaign',
    input: { campaignId: id },
    searchAttributes: {
      [SEARCH_ATTRIBUTES.project]: projectSlug,
      [SEARCH_ATTRIBUTES.campaign]: id,
      [SEARCH_ATTRIBUTES.state]: status === 'scheduled' ? 'waiting' : 'running',
    },
    summary: `${name || template}: ${total_recipients.toLocaleString('en')} recipients`,
    priority: CAMPAIGN_RUN,
    fairnessKey: projectSlug.slice(0, 64),
  };
}

/** Where the run will be when it looks at the graph first; known already, it costs the workflow no change of its attributes. */
function firstNode(graph: SequenceGraph): string {
  const entry = entryNode(graph);
  return (entry && (nodeAfter(graph, entry.id, 'enrolled') ?? entry))?.id ?? '';
}
