import { EMAILS, IDS, NOW } from './shown-records.ts';

const KEY = 'onboarding';
const IN_THREE_DAYS = '2026-06-04T12:00:00.000Z';

/** A mail at once, and after three days another for those who have not upgraded. */
const GRAPH = {
  name: 'Onboarding',
  status: 'active',
  reentry: 'once_ever',
  cooldownHours: null,
  goal: { event: { type: 'subscription_started' } },
  frequencyCap: { count: 3, windowHours: 168 },
  triggers: [{ kind: 'event', config: { type: 'signed_up' }, enabled: true }],
  nodes: [
    { id: 'trigger', kind: 'trigger' },
    { id: 'welcome', kind: 'send_email', config: { template: 'welcome', data: { startUrl: 'https://acme.example/start' } } },
    { id: 'three_days', kind: 'wait_delay', config: { minutes: 4320 } },
    { id: 'is_pro', kind: 'branch', config: { when: { field: 'attributes.plan', op: 'eq', value: 'pro' } } },
    { id: 'reminder', kind: 'send_email', config: { template: 'trial-ending', data: { daysLeft: 11 } } },
    { id: 'end', kind: 'exit' },
  ],
  edges: [
    { from: 'trigger', to: 'welcome' },
    { from: 'welcome', to: 'three_days' },
    { from: 'three_days', to: 'is_pro' },
    { from: 'is_pro', to: 'end', branchKey: 'true' },
    { from: 'is_pro', to: 'reminder', branchKey: 'false' },
    { from: 'reminder', to: 'end' },
  ],
};

export const create = [
  {
    body: {
      key: KEY,
      name: 'Onboarding',
      trigger: 'signed_up',
      steps: [{ template: 'welcome' }, { template: 'trial-ending', delayMinutes: 4320 }],
    },
    answer: { id: IDS.sequence, key: KEY, steps: 2, version: 1 },
  },
] as const;

export const list = [
  {
    answer: {
      sequences: [
        {
          id: IDS.sequence,
          key: KEY,
          name: 'Onboarding',
          status: 'draft',
          version: 1,
          trigger: 'signed_up',
          created_at: NOW,
          enrollments: { active: 0, completed: 0, cancelled: 0 },
          failed_steps: 0,
        },
      ],
    },
  },
] as const;

export const read = [{ params: { key: KEY }, answer: { key: KEY, version: 1, ...GRAPH } }] as const;

export const versions = [{ params: { key: KEY }, answer: { versions: [{ version: 1, nodes: 6, created_at: NOW, active: 1 }] } }] as const;

export const replace = [{ params: { key: KEY }, body: GRAPH, answer: { key: KEY, nodes: 6, version: 1 } }] as const;

export const change = [
  { params: { key: KEY }, body: { status: 'paused' }, answer: { key: KEY, name: 'Onboarding', status: 'paused', version: 1 } },
] as const;

export const remove = [{ params: { key: KEY }, answer: { deleted: true } }] as const;

export const simulate = [
  {
    params: { key: KEY },
    body: { contact: { timezone: 'Europe/London', attributes: { plan: 'free' } }, event: { type: 'signed_up' } },
    answer: {
      path: [
        { nodeId: 'trigger', kind: 'trigger', detail: 'entered the sequence' },
        { nodeId: 'welcome', kind: 'send_email', detail: 'would send welcome' },
        { nodeId: 'three_days', kind: 'wait_delay', detail: 'would wait' },
        { nodeId: 'is_pro', kind: 'branch', detail: 'the condition does not hold' },
        { nodeId: 'reminder', kind: 'send_email', detail: 'would send trial-ending' },
        { nodeId: 'end', kind: 'exit', detail: 'the end' },
      ],
      sends: ['welcome', 'trial-ending'],
      endedBy: 'exit',
    },
  },
] as const;

export const enroll = [{ params: { key: KEY }, body: { email: EMAILS.ada }, answer: { enrollmentId: IDS.enrollment } }] as const;

export const enrollBulk = [
  {
    params: { key: KEY },
    body: { emails: [EMAILS.ada, EMAILS.grace, 'nobody@example.com'] },
    answer: { requested: 3, enrolled: 1, skipped: 2, reasons: { already_enrolled: 1, unknown_contact: 1 } },
  },
] as const;

const ENROLLMENT = {
  id: IDS.enrollment,
  sequence_key: KEY,
  sequence_version: 1,
  contact_id: IDS.ada,
  status: 'active',
  current_node_id: 'three_days',
  waiting_for: 'delay',
  wakes_at: IN_THREE_DAYS,
  started_at: NOW,
  ended_at: null,
  end_reason: null,
  failed_steps: 0,
  sandboxed: false,
  workflow_id: `enrollment/${IDS.enrollment}`,
};

export const listEnrollments = [
  {
    params: { key: KEY },
    query: { status: 'active', limit: 50 },
    answer: { enrollments: [{ ...ENROLLMENT, contact_email: EMAILS.ada }], nextCursor: null },
  },
] as const;

export const readEnrollment = [
  {
    params: { id: IDS.enrollment },
    answer: {
      enrollment: {
        ...ENROLLMENT,
        steps: [
          { number: 1, node_id: 'trigger', kind: 'trigger', at: NOW, outcome: 'enrolled', detail: 'entered the sequence' },
          { number: 2, node_id: 'welcome', kind: 'send_email', at: NOW, outcome: 'sent', detail: 'welcome' },
          { number: 3, node_id: 'three_days', kind: 'wait_delay', at: NOW, outcome: null, detail: null },
        ],
        steps_pruned: false,
        cancelled_by_key_id: null,
      },
      nextCursor: null,
    },
  },
] as const;

export const cancelEnrollment = [{ params: { id: IDS.enrollment }, answer: { id: IDS.enrollment, status: 'cancelled' } }] as const;

export const event = [
  {
    body: { type: 'signed_up', email: EMAILS.ada, data: { plan: 'pro' } },
    answer: { contactId: IDS.ada, enrolled: 1, reArmed: 0, goals: 0, exited: 0, duplicate: false },
  },
] as const;

export const dateEntries = [
  {
    params: { key: 'birthday' },
    answer: {
      dates: [
        {
          config: { attribute: 'birthday', every: 'year', at: '09:00', timezone: 'contact' },
          planned: 0,
          next: null,
          lookAt: '2026-06-01T09:40:00.000Z',
        },
      ],
      aheadMinutes: 120,
    },
  },
] as const;

const NOBODY_LEFT_OUT = { suppressed: 0, unsubscribed: 0, bounced: 0, unconfirmed: 0, topic_off: 0, erased: 0, frequency_cap: 0, other: 0 };

export const flow = [
  {
    params: { key: KEY },
    answer: {
      runs: 1,
      reachedBy: 'goal',
      standingElsewhere: 0,
      leftOut: NOBODY_LEFT_OUT,
      nodes: [
        { id: 'trigger', standing: 0, visits: 1, failed: 0, mails: null, leftOut: null },
        {
          id: 'welcome',
          standing: 0,
          visits: 1,
          failed: 0,
          mails: { sent: 1, delivered: 1, opened: 1, clicked: 0, unsubscribed: 0 },
          leftOut: NOBODY_LEFT_OUT,
        },
      ],
      edges: [
        { from: 'trigger', to: 'welcome', branchKey: null, passed: 1, arm: null },
        { from: 'welcome', to: 'three_days', branchKey: null, passed: 1, arm: null },
        { from: 'three_days', to: 'is_pro', branchKey: null, passed: 1, arm: null },
        { from: 'is_pro', to: 'end', branchKey: 'true', passed: 1, arm: { runs: 1, reached: 0, active: 0 } },
      ],
    },
  },
] as const;

const WELCOME_STARTER = {
  key: 'welcome',
  name: 'Welcome',
  description: "Sends a welcome email right after sign-up, and the first steps two days later, in the morning of the contact's time zone.",
};

export const starters = [{ answer: { starters: [{ ...WELCOME_STARTER, mails: 2 }] } }] as const;

export const starter = [
  {
    params: { key: 'welcome' },
    answer: {
      ...WELCOME_STARTER,
      graph: {
        reentry: 'once_ever',
        cooldownHours: null,
        goal: null,
        frequencyCap: null,
        triggers: [{ kind: 'event', config: { type: 'signed_up' }, enabled: true }],
        nodes: [
          { id: 'start', kind: 'trigger' },
          { id: 'welcome', kind: 'send_email', config: { template: 'welcome' } },
        ],
        edges: [{ from: 'start', to: 'welcome' }],
      },
      templates: [
        {
          key: 'first-steps',
          type: 'marketing',
          name: 'First steps',
          description: 'Explains what to do first.',
          subject: 'Three things to try first',
          content: { preheader: 'Each takes a few minutes.', blocks: [{ type: 'heading', text: 'A good way to get started' }] },
          dataSchema: [{ path: 'startUrl', kind: 'url', sample: 'https://example.com/start' }],
        },
      ],
      simulation: {
        attributes: {},
        eventType: 'signed_up',
        path: [
          { nodeId: 'start', kind: 'trigger', detail: 'entered the sequence' },
          { nodeId: 'welcome', kind: 'send_email', detail: 'would send welcome' },
        ],
        sends: ['welcome'],
        endedBy: 'exit',
      },
    },
  },
] as const;
