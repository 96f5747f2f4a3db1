import { type Driver, reading } from './driver.ts';
import { type Call, subjects } from './observed.ts';
import type { ChaosReceiver } from './receiver.ts';

/** An endpoint of the load. */
export interface WorldEndpoint {
  readonly id: string;
  readonly path: string;
  readonly events: readonly string[] | null;
  readonly isSteady: boolean;
}

/** What is there before the load begins. */
export interface World {
  readonly endpoints: readonly WorldEndpoint[];
}

/** Enabled in the project: one of each type. */
export const TEMPLATES = { transactional: 'receipt', marketing: 'newsletter' } as const;
export const SEQUENCES = ['drip', 'journey', 'sub'] as const;
/** The event type that enrolls. */
export const startOf = (sequence: string): string => `start ${sequence}`;
/** The event that the journey waits for. */
export const GO = 'go';

const ENDPOINTS = [
  { path: '/steady', events: null, isSteady: true },
  { path: '/flaky', events: ['email.sent', 'sequence.completed', 'campaign.completed', 'contact.unsubscribed'], isSteady: true },
  { path: '/dead', events: ['contact.unsubscribed'], isSteady: true },
  { path: '/toggled-flaky', events: ['contact.subscribed'], isSteady: false },
  { path: '/deleted-flaky', events: ['contact.subscribed'], isSteady: false },
] as const;

const mail = (sequence: string, id: string, type: keyof typeof TEMPLATES) => ({
  id,
  kind: 'send_email',
  config: { template: TEMPLATES[type], subject: subjects.step(sequence, id, type === 'marketing') },
});

function graphs(nodeUrl: string): Readonly<Record<(typeof SEQUENCES)[number], object>> {
  const [trigger, exit] = [
    { id: 'trigger', kind: 'trigger' },
    { id: 'exit', kind: 'exit' },
  ];
  const wait = (minutes: number) => ({ id: 'wait', kind: 'wait_delay', config: { minutes } });
  const line = (...ids: string[]) => ids.slice(1).map((to, index) => ({ from: ids[index], to }));
  return {
    drip: {
      nodes: [trigger, mail('drip', 'first', 'transactional'), wait(0.1), mail('drip', 'second', 'marketing'), exit],
      edges: line('trigger', 'first', 'wait', 'second', 'exit'),
    },
    sub: { nodes: [trigger, wait(0.05), mail('sub', 'below', 'transactional'), exit], edges: line('trigger', 'wait', 'below', 'exit') },
    journey: {
      nodes: [
        trigger,
        { id: 'split', kind: 'split', config: { arms: [{ key: 'call' }, { key: 'sub' }] } },
        { id: 'hook', kind: 'webhook', config: { url: nodeUrl, body: { to: '{{ contact.email }}' } } },
        mail('journey', 'called', 'transactional'),
        { id: 'sub', kind: 'subflow', config: { sequenceKey: 'sub', mode: 'wait' } },
        mail('journey', 'waited', 'marketing'),
        { id: 'until', kind: 'wait_until', config: { event: { type: GO }, timeoutMinutes: 0.5 } },
        mail('journey', 'went', 'transactional'),
        mail('journey', 'late', 'transactional'),
        { id: 'branch', kind: 'branch', config: { when: { field: 'contact.email', op: 'starts_with', value: 'pro' } } },
        mail('journey', 'pro', 'marketing'),
        exit,
      ],
      edges: [
        { from: 'trigger', to: 'split' },
        { from: 'split', to: 'hook', branchKey: 'call' },
        { from: 'split', to: 'sub', branchKey: 'sub' },
        ...line('hook', 'called', 'until'),
        ...line('sub', 'waited', 'until'),
        { from: 'until', to: 'went', branchKey: 'event' },
        { from: 'until', to: 'late', branchKey: 'timeout' },
        ...[{ from: 'went', to: 'branch' }, ...line('late', 'branch')],
        { from: 'branch', to: 'pro', branchKey: 'true' },
        { from: 'branch', to: 'exit', branchKey: 'false' },
        { from: 'pro', to: 'exit' },
      ],
    },
  };
}

/** Enables the templates, and makes sequences and endpoints. */
export async function makeWorld({ insist }: Pick<Driver, 'insist'>, receiver: ChaosReceiver, webhookSecret: string): Promise<World> {
  const set = async (method: string, path: string, body: object): Promise<Call['answer']> => {
    const { status, answer } = await insist({ ...reading(path), method, body });
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  for (const template of Object.values(TEMPLATES)) await set('PUT', `/templates/${template}`, { enabled: true });
  const nodePath = '/node-flaky';
  receiver.expects(nodePath, webhookSecret);
  for (const [key, graph] of Object.entries(graphs(`${receiver.url}${nodePath}`))) {
    await set('POST', '/sequences', { key, name: key, steps: [{ template: TEMPLATES.transactional }] });
    const triggers = [{ kind: 'event', config: { type: startOf(key) }, enabled: true }];
    // Whoever is enrolled twice by one event would be seen.
    await set('PUT', `/sequences/${key}`, { name: key, status: 'active', reentry: 'always', triggers, ...graph });
  }
  const endpoints: WorldEndpoint[] = [];
  for (const { path, events, isSteady } of ENDPOINTS) {
    const { endpoint, secret } = await set('POST', '/webhooks', { url: `${receiver.url}${path}`, ...(events ? { events } : {}) });
    receiver.expects(path, secret);
    endpoints.push({ id: endpoint.id, path, events, isSteady });
  }
  return { endpoints };
}
