/** Why a step may not be done now; `too_many_steps`: why the run may not go on to its next one. */
export const HOLD_REASONS = [
  'paused',
  'project_suspended',
  'email_unverified',
  'send_window',
  'frequency_cap',
  'provider_unavailable',
  'too_many_steps',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** What a run can wait for beside events; `webhook`: between the tries of a call. */
export const WAITS = ['delay', 'condition', 'time', 'subflow', 'webhook', 'digest', 'throttle'] as const;

/** What a run waits for, as `waiting_for` shows it: docs/contract/events.md 27. */
export type WaitingFor = (typeof WAITS)[number] | `event:${string}` | `held:${HoldReason}`;

/** Every `waiting_for` but those for events, of whose types there is no end. */
export const WAITS_AND_HOLDS = [...WAITS, ...HOLD_REASONS.map((reason) => `held:${reason}` as const)] as const;
