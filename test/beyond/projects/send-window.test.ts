import { beforeAll, expect, test } from 'vitest';
import { newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const set = (sendWindow: unknown, of = project) => of.api.call('PATCH', '/project', { sendWindow });
const windowOf = async (of = project) => must(await of.api.get('/me'), 200).project.send_window;
const WINDOW = { from: '09:00', to: '18:00', timezone: 'contact' };

test('a window is set, told with what was not given, kept by other changes, and taken out; another project has none of it', async () => {
  const other = await newProject();
  const stored = { ...WINDOW, fallback: 'UTC', transactional: false };
  expect(await windowOf()).toBeNull();
  expect(must(await set(WINDOW), 200).project.send_window).toEqual(stored);
  must(await project.api.call('PATCH', '/project', { campaignLimits: { bounceRate: 0.5 } }), 200);
  expect(await windowOf()).toEqual(stored);
  const night = { from: '22:00', to: '06:00', days: [5, 1], timezone: 'Europe/Vienna', fallback: null, transactional: true };
  expect(must(await set(night), 200).project.send_window).toEqual({ ...night, days: [1, 5], fallback: 'UTC' });
  expect(await windowOf(other)).toBeNull();
  expect(must(await set(null), 200).project.send_window).toBeNull();
});

test.each<[string, object | string]>([
  ['sendWindow.from', { ...WINDOW, from: '9:00' }],
  ['sendWindow.from', { ...WINDOW, from: '24:00' }],
  ['sendWindow.to', { ...WINDOW, to: '18:60' }],
  ['sendWindow.to', { ...WINDOW, to: '09:00' }],
  ['sendWindow.days[0]', { ...WINDOW, days: [8] }],
  ['sendWindow.days', { ...WINDOW, days: [] }],
  ['sendWindow.days', { ...WINDOW, days: [1, 1] }],
  ['sendWindow.days', { ...WINDOW, days: Array.from({ length: 10_000 }, () => 1) }],
  ['sendWindow.timezone', { ...WINDOW, timezone: 'Mars/Olympus' }],
  ['sendWindow.timezone', { from: '09:00', to: '18:00' }],
  ['sendWindow.fallback', { ...WINDOW, fallback: 'contact' }],
  ['sendWindow.transactional', { ...WINDOW, transactional: 'no' }],
  ['sendWindow.until', { ...WINDOW, until: '18:00' }],
  ['sendWindow', 'none'],
])('%s is told of what is no window', async (path, wrong) => {
  const { status, body } = await set(wrong);
  expect([status, body.issues]).toEqual([422, [{ path, message: expect.any(String) }]]);
});
