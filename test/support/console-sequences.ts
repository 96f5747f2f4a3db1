import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import type { TestProject } from './project.ts';
import { must, newContact } from './sequences.ts';

/** Who has the plan pro waits for a day; everybody else gets a mail, which fails since nothing gives what the template requires. */
export const WELCOME = {
  name: 'Welcome flow',
  status: 'active',
  triggers: [{ kind: 'event', config: { type: 'joined' } }],
  nodes: [
    { id: 'start', kind: 'trigger' },
    { id: 'hello', kind: 'send_email', config: { template: 'welcome' } },
    { id: 'is_pro', kind: 'branch', config: { when: { field: 'attributes.plan', op: 'eq', value: 'pro' } } },
    { id: 'later', kind: 'wait_delay', config: { minutes: 1440 } },
    { id: 'reset', kind: 'send_email', config: { template: 'password-reset' } },
    { id: 'end', kind: 'exit' },
  ],
  edges: [
    { from: 'start', to: 'hello' },
    { from: 'hello', to: 'is_pro' },
    { from: 'is_pro', to: 'later', branchKey: 'true' },
    { from: 'is_pro', to: 'reset', branchKey: 'false' },
    { from: 'later', to: 'end' },
    { from: 'reset', to: 'end' },
  ],
};

// Many steps, each with its own patience.

/**
 * The sequence `flow`, with two runs: that of Ada, who has the plan pro, stands at a wait of a day; that of Grace is over, and its second
 * mail has failed.
 */
export async function newWelcomeFlow(project: TestProject): Promise<{ readonly ada: string; readonly run: string }> {
  must(await project.api.put('/sequences/flow', WELCOME), 200);
  const enroll = async (email: string, plan: string): Promise<string> => {
    await newContact(project, email, { attributes: { plan } });
    return must(await project.api.post('/sequences/flow/enroll', { email }), 200).enrollmentId;
  };
  const ada = project.address('ada');
  const run = await enroll(ada, 'pro');
  const failed = await enroll(project.address('grace'), 'free');
  await eventually(async () => (await project.api.get(`/enrollments/${failed}`)).body.enrollment.status === 'completed');
  await eventually(async () => (await project.api.get(`/enrollments/${run}`)).body.enrollment.current_node_id === 'later');
  return { ada, run };
}

/** A node as it is drawn. */
export const drawn = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
/** The buttons that add a step on a way out of a node. */
export const waysOf = (page: Page, id: string) => page.locator(`[data-ways-of="${id}"]`).getByRole('button');
/** The edges on the way that is drawn, as `from>to`. */
const wayOn = (page: Page): Promise<string[]> =>
  page
    .locator('.react-flow__edge:has([data-way])')
    .evaluateAll((edges) => edges.map((edge) => edge.getAttribute('data-id')!.replace(/ .* | {2}/, '>')).toSorted());
/** Waits until that is the way that is drawn: edges are drawn after their nodes. */
export const wayBecomes = (page: Page, ...way: string[]) => eventually(async () => isDeepStrictEqual(await wayOn(page), way));
