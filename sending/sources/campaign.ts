import type { GateVerdict } from '../../db/queries/sends/gate-verdict.ts';
import { CAMPAIGN_GATE } from '../../db/queries/sends/send-gates.ts';
import { campaignWorkflowId } from '../../workflows/contracts.ts';
import type { MailRequest } from '../request.ts';
import type { ProviderAway, Source } from '../source.ts';

/** The mail of a campaign to one of its recipients. */
export interface RecipientRequest extends MailRequest {
  readonly recipient: { readonly contactId: string };
  readonly sourceId: string;
}

/** What the mail of one recipient came to. */
export type RecipientResult =
  | { readonly state: 'sent' | 'failed' }
  /** May not get it any more. */
  | { readonly state: 'refused' }
  /** Nothing of the batch may go now. */
  | { readonly state: 'stopped' }
  /**
   * Surely not submitted, or it goes again under its key; the provider, the campaign itself, or what holds it, may let it go later. `message`: for
   * operators.
   */
  | ({ readonly state: 'later'; readonly message: string } & Pick<ProviderAway, 'retryAfterSeconds' | 'heldBy' | 'allowance'>);

/** A batch of a campaign is the intent of its mails, so none is asked for again: `repeated` is for others. */
export const CAMPAIGN_SOURCE: Source<RecipientRequest, RecipientResult> = {
  type: 'campaign',
  gate: CAMPAIGN_GATE,
  logsUnsendable: true,
  makesContacts: false,
  traceOf: ({ sourceId }) => ({ workflowId: campaignWorkflowId(sourceId) }),
  lines: { settled: 'debug', refused: 'debug' },
  settled: ({ outcome }) => ({ state: outcome.status }),
  refused: (_, __, { by }) => ({ state: STATE_OF[by] ?? 'refused' }),
  later: (_, { shown, retryAfterSeconds, heldBy, allowance }) => ({
    withdrawn: { state: 'later', message: shown, retryAfterSeconds, heldBy, allowance },
  }),
  untold: (_, shown) => ({ state: 'later', message: shown, retryAfterSeconds: undefined }),
  repeated: null,
};

/** Of mails that do not go for another reason than their recipient. */
const STATE_OF: Partial<Record<GateVerdict['by'], 'sent' | 'failed' | 'stopped'>> = {
  outcome_unknown: 'failed',
  sent_before: 'sent',
  stopped: 'stopped',
  lost: 'stopped',
};
