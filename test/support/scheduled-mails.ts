import type { Reply } from './api.ts';
import { eventually } from './eventually.ts';
import type { TestProject } from './project.ts';
import { must } from './sequences.ts';

export const DAY_MS = 86_400_000;
export const inMs = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();
export const tomorrow = (): string => inMs(DAY_MS);

/** What a test does with mails that go later, in its project unless it names another. */
export function scheduledMails(project: () => TestProject) {
  const later = (body: object, on = project()): Promise<Reply> =>
    on.api.post('/send', { template: 'receipt', sendAt: tomorrow(), ...body });
  const scheduled = async (body: object, on = project()): Promise<string> => must(await later(body, on), 202).id;
  const move = (id: string, sendAt: string, on = project()): Promise<Reply> => on.api.call('PATCH', `/sends/${id}`, { sendAt });
  const sendNow = async (id: string, on = project()) => must(await move(id, inMs(0), on), 200);
  /** The row of a mail that has gone. One that was taken while the worker's heartbeats stopped goes when its lease is over. */
  const settled = (id: string, on = project()) =>
    eventually(
      async () => {
        const { body } = await on.api.get(`/sends/${id}`);
        return body.send?.status !== undefined && body.send.status !== 'scheduled' && body.send;
      },
      { timeoutMs: 130_000 },
    );
  return { later, scheduled, move, sendNow, settled };
}
