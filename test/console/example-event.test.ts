import { expect, test } from 'vitest';
import { exampleEvent, ownEventTypes } from '../../console/src/pages/sequences/example-event.ts';
import { consoleTabs } from '../support/console.ts';
import { wayBecomes } from '../support/console-sequences.ts';
import { newProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();

type Graph = Parameters<typeof exampleEvent>[0];

const enteredBy = (type: string, enabled = true, match?: object) =>
  ({ kind: 'event', config: { type, ...(match ? { match } : {}) }, enabled }) as unknown as Graph['triggers'][number];
const graphOf = (triggers: Graph['triggers'], ...configs: object[]): Graph => ({
  triggers,
  nodes: configs.map((config, index) => ({ id: `n${index}`, kind: 'branch', config: { ...config } })),
});

test('the example is the first event that enters contacts, with what the conditions, texts and templates read of it', () => {
  const graph = graphOf(
    [enteredBy('off', false), enteredBy('order_paid', true, { field: 'event.currency', op: 'eq', value: 'EUR' }), enteredBy('renewed')],
    { when: { all: [{ field: 'event.total', op: 'gt', value: 100 }, { not: { field: 'attributes.plan', op: 'eq', value: 'pro' } }] } },
    { template: 'receipt', subject: 'Order {{ event.order.id }}, {{ contact.event.name }} event.nothing' },
    { event: { type: 'order_shipped', match: { field: 'event.carrier', op: 'eq', value: 'ups' } }, timeoutMinutes: 60 },
  );
  const fields = [
    { path: 'event.order.url', kind: 'url', sample: 'https://shop.example/1' },
    { path: 'event.total', kind: 'number', sample: 5 },
    { path: 'event.order', kind: 'object' },
    { path: 'total', kind: 'number', sample: 5 },
  ] as const;
  const { type, payload } = exampleEvent(graph, fields);
  expect(type).toBe('order_paid');
  expect(JSON.parse(payload)).toEqual({ currency: 'EUR', total: 101, order: { id: 'example', url: 'https://shop.example/1' } });
  expect(ownEventTypes(graph)).toEqual(['order_paid', 'renewed', 'order_shipped']);
  expect(exampleEvent(graphOf([enteredBy('signed_up')], { minutes: 5 }), [])).toEqual({ type: 'signed_up', payload: '' });
  expect(exampleEvent(graphOf([]), [])).toEqual({ type: '', payload: '' });
});

test("a simulation begins with the sequence's own event, so that a branch on its data goes the way that the data says", async () => {
  const project = await newProject();
  await enableTemplates(project, 'welcome');
  must(
    await project.api.put('/sequences/paid', {
      triggers: [
        { kind: 'event', config: { type: 'order_paid' } },
        { kind: 'event', config: { type: 'renewed' } },
      ],
      nodes: [
        { id: 'start', kind: 'trigger' },
        { id: 'large', kind: 'branch', config: { when: { field: 'event.total', op: 'gte', value: 100 } } },
        { id: 'thanks', kind: 'send_email', config: { template: 'welcome' } },
        { id: 'end', kind: 'exit' },
      ],
      edges: [
        { from: 'start', to: 'large' },
        { from: 'large', to: 'thanks', branchKey: 'true' },
        { from: 'large', to: 'end', branchKey: 'false' },
        { from: 'thanks', to: 'end' },
      ],
    }),
    200,
  );
  const { page } = await tabs.open('/sequences/paid/simulate', { key: project.key });
  const event = page.getByRole('combobox', { name: 'Event' });
  const data = page.getByRole('textbox', { name: 'Event data' });
  await data.waitFor();
  expect([await event.inputValue(), JSON.parse(await data.inputValue())]).toEqual(['order_paid', { total: 100 }]);
  const run = page.getByRole('button', { name: 'Simulate', exact: true });
  await run.click();
  await wayBecomes(page, 'large>thanks', 'start>large', 'thanks>end');
  await data.fill('{ "total": 20 }');
  await run.click();
  await wayBecomes(page, 'large>end', 'start>large');
  await event.fill('');
  await data.waitFor({ state: 'hidden' });
  await page.getByRole('option', { name: 'renewed' }).click();
  expect(await data.inputValue()).toBe('{ "total": 20 }');
});
