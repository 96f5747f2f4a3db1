import { beforeAll, expect, test } from 'vitest';
import { createInFlight } from '../../sending/in-flight.ts';
import { createSendPace } from '../../sending/send-pace.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { mailRequest, sendingsOfFile } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';

let project: TestProject;
const openSending = sendingsOfFile();

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const BATCH = 20;
const { signal } = new AbortController();

/** Mails that begin within a minute at 5 a second at most, where this many are asked for one by one each second and campaigns take all they can. */
async function minuteOf(onesPerSecond: number): Promise<{ ones: number; longestWaitMs: number; all: number }> {
  let time = 0;
  const pace = createSendPace(5, () => time);
  const inFlight = createInFlight({ connections: 1_000, pace, now: () => time });
  let [ones, batches, longestWaitMs] = [0, 0, 0];
  const campaign = async (): Promise<void> => {
    for (;;) {
      const leave = await inFlight.enter('p', BATCH, signal);
      batches++;
      leave(0);
      if (time >= 60_000) return;
    }
  };
  void campaign();
  for (; time < 60_000; time += 100) {
    if ((time / 1_000) * onesPerSecond >= ones) {
      longestWaitMs = Math.max(longestWaitMs, pace.takeOne(10_000));
      ones++;
    }
    // The clock of a waiting batch is the real one, so it is asked for anew.
    inFlight.yieldToRuns();
    void inFlight.enter('q', 0, signal).then((leave) => leave(0));
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  return { ones, longestWaitMs, all: ones + batches * BATCH };
}

test.each([0, 2, 4])(
  'with %s mails of calls a second a process sends no more than its rate in all, and they do not wait for campaigns',
  async (onesPerSecond) => {
    const { ones, longestWaitMs, all } = await minuteOf(onesPerSecond);
    expect(ones).toBeGreaterThanOrEqual(onesPerSecond * 59);
    expect(longestWaitMs).toBeLessThan(1_000);
    expect(all).toBeLessThanOrEqual(5 * 60 + 5 + BATCH);
    expect(all).toBeGreaterThanOrEqual(5 * 60 - BATCH);
  },
);

test('POST /send keeps the rate of its process: what cannot have its turn in time is told to come later, and is not submitted', async () => {
  const made = await openSending({ pace: createSendPace(0.15) });
  const requests = await Promise.all(Array.from({ length: 4 }, () => mailRequest(project, project.address())));
  const results = await Promise.all(requests.map((request) => made.sending.sendCall(request)));
  // One at once, one after 6.7 s, the others would be due after the 10 s in which a mail has to begin.
  expect(results.map(({ state }) => state).toSorted()).toEqual(['sent', 'sent', 'unavailable', 'unavailable']);
  expect(results.find(({ state }) => state === 'unavailable')).toMatchObject({ message: expect.stringContaining('SEND_RATE_PER_SECOND') });
  expect(made.submitted).toHaveLength(2);
});
