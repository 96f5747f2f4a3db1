import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRateLimit } from '../../api/middleware/rate-limit.ts';
import { api } from '../support/api.ts';
import { type ApiHere, startApiHere } from '../support/api-here.ts';
import { newProject } from '../support/project.ts';

const BURST = 4;

let everpost: ApiHere;
beforeAll(async () => {
  everpost = await startApiHere({ RATE_LIMIT_BURST: String(BURST), RATE_LIMIT_PER_SECOND: '0.01' });
});
afterAll(() => everpost?.stop());

test('a burst is let through, then 429 with Retry-After, for all keys of the project and for no other project', async () => {
  const project = await newProject({ everpost });
  const second = await project.newKey(['send']);
  for (let left = BURST - 1; left >= 0; left--) {
    // Any keyed answer takes from the bucket, refusals too.
    const { status, headers } = await (left % 2 ? project.api.get('/contacts') : second.api.get('/contacts'));
    expect(status).toBe(left % 2 ? 200 : 403);
    expect(headers.get('ratelimit-policy')).toBe(`"default";q=${BURST};w=400`);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`));
  }
  const { status, headers, body } = await project.api.get('/contacts');
  expect([status, body.code]).toEqual([429, 'rate_limited']);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
  expect((await second.api.get('/contacts')).status).toBe(429);
  expect((await (await newProject({ everpost })).api.get('/contacts')).status).toBe(200);
  expect((await api(undefined, everpost.url).get('/health')).headers.has('ratelimit')).toBe(false);
});

test('a batch of mails counts as one request', async () => {
  const project = await newProject({ everpost });
  const { headers } = await project.api.post('/send/batch', { mails: Array.from({ length: BURST + 1 }, () => ({})) });
  expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${BURST - 1};`));
});

test('a bucket fills by its rate and never beyond its burst, however long nobody called', () => {
  let at = 0;
  const limit = createRateLimit(3, 2, () => at)!;
  const burst = (): number => {
    for (let taken = 0; ; taken++) {
      try {
        limit.take('p');
      } catch {
        return taken;
      }
    }
  };
  expect(burst()).toBe(3);
  at += 1_000;
  expect(burst()).toBe(2);
  at += 86_400_000;
  expect(burst()).toBe(3);
});

test('without a limit there are no rate headers', async () => {
  const { headers } = await (await newProject()).api.get('/contacts');
  expect([headers.has('ratelimit'), headers.has('ratelimit-policy')]).toEqual([false, false]);
});
