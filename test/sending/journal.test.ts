import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createLogger } from '../../platform/logger.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';
import { headerLine, NOT_SUBMITTED, submissionLine, UNKNOWN } from '../../sending/journal/format.ts';
import { journalsIn } from '../../sending/journal/read-journals.ts';
import { NO_JOURNAL, openJournal, type SubmissionJournal } from '../../sending/journal/submission-journal.ts';

const folders: string[] = [];
const log = createLogger('silent', {});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

async function newJournal(): Promise<{ folder: string; journal: SubmissionJournal; id: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'everpost-journal-'));
  folders.push(folder);
  const id = uuidv7();
  return { folder, id, journal: await openJournal({ folder, id, log }) };
}

/** A turn of the event loop, after which answers are written. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ACCEPTED: ProviderAnswer = { outcome: 'accepted', providerId: 'p-1' };
const REJECTED: ProviderAnswer = { outcome: 'rejected', message: '550 5.1.1 "nobody"\r\n', badAddress: true };
const LATER: ProviderAnswer = { outcome: 'later', message: 'busy' };
const CUT_OFF: ProviderAnswer = { outcome: 'unknown', message: 'cut off' };

test('a journal tells of each mail how far it came: not submitted, submitted, answered', async () => {
  const { folder, id, journal } = await newJournal();
  const [begun, accepted, rejected, later, cutOff, again, never] = Array.from({ length: 7 }, () => uuidv7()) as [string, ...string[]];
  for (const [sendId, answer] of [
    [accepted, ACCEPTED],
    [rejected, REJECTED],
    [later, LATER],
    [cutOff, CUT_OFF],
    [again, LATER],
  ] as [string, ProviderAnswer][]) {
    expect(journal.submitting(sendId)).toBe(true);
    journal.answered(sendId, answer);
  }
  journal.submitting(again as string);
  journal.submitting(begun);
  await turn();
  const reading = await journalsIn(folder).read(id);
  const states = [begun, accepted, rejected, later, cutOff, again, never].map((sendId) => reading?.(sendId as string));
  expect(states).toEqual([
    UNKNOWN,
    { state: 'answered', outcome: { status: 'sent', providerId: 'p-1' } },
    { state: 'answered', outcome: { status: 'failed', reason: 'provider_rejected', message: '550 5.1.1 "nobody"\r\n', badAddress: true } },
    NOT_SUBMITTED,
    UNKNOWN,
    UNKNOWN,
    NOT_SUBMITTED,
  ]);
});

test('a journal that has grown since it was read is read again', async () => {
  const { folder, id, journal } = await newJournal();
  const [first, second] = [uuidv7(), uuidv7()];
  const journals = journalsIn(folder);
  journal.submitting(first);
  const before = await journals.read(id);
  expect([first, second].map((sendId) => before?.(sendId))).toEqual([UNKNOWN, NOT_SUBMITTED]);
  journal.submitting(second);
  const after = await journals.read(id);
  expect([first, second].map((sendId) => after?.(sendId))).toEqual([UNKNOWN, UNKNOWN]);
});

test('of a journal that is not there, or was written before the machine started anew, nothing is known', async () => {
  const { folder, id } = await newJournal();
  const journals = journalsIn(folder);
  expect(await journals.read(uuidv7())).toBeUndefined();
  expect(await journals.read(null)).toBeUndefined();
  const before = uuidv7();
  await writeFile(join(folder, `${before}.0.log`), headerLine('another start') + submissionLine(uuidv7()));
  expect(await journals.read(before)).toBeUndefined();
  expect(await journals.read(id)).toBeDefined();
});

test('a line that was cut off or torn leaves the outcome of its mail unknown, and spoils no other', async () => {
  const { folder, id, journal } = await newJournal();
  const [torn, whole, cut] = [uuidv7(), uuidv7(), uuidv7()];
  journal.submitting(torn);
  await turn();
  await writeFile(
    join(folder, `${id}.0.log`),
    `= ${torn} {"state":"answ\n${submissionLine(whole)}= ${whole} {"state":"not submitted"}\n> ${cut.slice(0, 9)}`,
    {
      flag: 'a',
    },
  );
  const reading = await journalsIn(folder).read(id);
  expect([torn, whole, cut].map((sendId) => reading?.(sendId))).toEqual([UNKNOWN, NOT_SUBMITTED, NOT_SUBMITTED]);
});

test('a file goes when each of its mails is recorded, and not before; a process that stops in order leaves none', async () => {
  const { folder, id, journal } = await newJournal();
  const first = uuidv7();
  journal.submitting(first);
  // Past the size at which the next file begins.
  for (let written = 0; written < 60_000; written++) {
    const sendId = uuidv7();
    journal.submitting(sendId);
    journal.answered(sendId, ACCEPTED);
    journal.recorded(sendId);
  }
  const files = async (): Promise<string[]> => (await readdir(folder)).toSorted();
  expect(await files()).toHaveLength(2);
  expect((await journalsIn(folder).read(id))?.(first)).toEqual(UNKNOWN);
  journal.recorded(first);
  expect(await files()).toHaveLength(1);
  journal.close();
  expect(await files()).toEqual([]);
});

test('journals that nobody writes to are removed once no intent names them', async () => {
  const { folder, id } = await newJournal();
  const [needed, old] = [uuidv7(), uuidv7()];
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  for (const each of [needed, old]) {
    await writeFile(join(folder, `${each}.0.log`), headerLine('a start'));
    await utimes(join(folder, `${each}.0.log`), twoDaysAgo, twoDaysAgo);
  }
  await journalsIn(folder).prune(async (ids) => ids.filter((each) => each === needed));
  expect((await readdir(folder)).toSorted()).toEqual([`${id}.0.log`, `${needed}.0.log`].toSorted());
});

test('without a folder that can be written there is no journal, and mails go all the same', async () => {
  const { folder } = await newJournal();
  await writeFile(join(folder, 'file'), '');
  expect(await openJournal({ folder: join(folder, 'file', 'journals'), id: uuidv7(), log })).toBe(NO_JOURNAL);
  expect(NO_JOURNAL.submitting(uuidv7())).toBe(true);
});
