import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { createLogger, type Logger } from '../../platform/logger.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';
import { bootId, doneLine, headerLine, NOT_SUBMITTED, submissionLine } from '../../sending/journal/format.ts';
import { journalsIn } from '../../sending/journal/read-journals.ts';
import { NO_JOURNAL, openJournal, type SubmissionJournal } from '../../sending/journal/submission-journal.ts';
import type { Submitted } from '../../sending/submitted.ts';

const folders: string[] = [];
const log = createLogger('silent', {});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

async function newJournal(to: Logger = log): Promise<{ folder: string; journal: SubmissionJournal; id: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'everpost-journal-'));
  folders.push(folder);
  const id = uuidv7();
  return { folder, id, journal: await openJournal({ folder, id, log: to }) };
}

/** A turn of the event loop, after which answers are written. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ACCEPTED: ProviderAnswer = { outcome: 'accepted', providerId: 'p-1' };
const REJECTED: ProviderAnswer = { outcome: 'rejected', message: '550 5.1.1 "nobody"\r\n', badAddress: true };
const LATER: ProviderAnswer = { outcome: 'later', message: 'busy' };
/** As far as the journal knows of a mail that was being submitted. */
const UNKNOWN = { state: 'unknown', provider: 'main' };
const CUT_OFF: Submitted = { outcome: 'unknown', message: 'cut off', by: 'main' };

/** Past the size at which the next file begins, with mails that are recorded. */
function fillFile(journal: SubmissionJournal): void {
  const answer = { ...ACCEPTED, providerId: 'p'.repeat(4_000) };
  for (let written = 0; written < 1_500; written++) {
    const sendId = uuidv7();
    expect(journal.submitting(sendId, 'main')).toBe(true);
    journal.answered(sendId, answer);
    journal.recorded(sendId);
  }
}

test('a journal tells of each mail how far it came: not submitted, submitted, answered', async () => {
  const { folder, id, journal } = await newJournal();
  const [begun, accepted, rejected, later, cutOff, again, never] = Array.from({ length: 7 }, () => uuidv7()) as [string, ...string[]];
  for (const [sendId, answer] of [
    [accepted, ACCEPTED],
    [rejected, REJECTED],
    [later, LATER],
    [cutOff, CUT_OFF],
    [again, LATER],
  ] as [string, Submitted][]) {
    expect(journal.submitting(sendId, 'main')).toBe(true);
    journal.answered(sendId, answer);
  }
  journal.submitting(again as string, 'main');
  journal.submitting(begun, 'main');
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
  journal.submitting(first, 'main');
  const before = await journals.read(id);
  expect([first, second].map((sendId) => before?.(sendId))).toEqual([UNKNOWN, NOT_SUBMITTED]);
  journal.submitting(second, 'main');
  const after = await journals.read(id);
  expect([first, second].map((sendId) => after?.(sendId))).toEqual([UNKNOWN, UNKNOWN]);
});

test('of a journal that is not there, or was written before the machine started anew, nothing is known', async () => {
  const { folder, id } = await newJournal();
  const journals = journalsIn(folder);
  expect(await journals.read(uuidv7())).toBeUndefined();
  expect(await journals.read(null)).toBeUndefined();
  const before = uuidv7();
  await writeFile(join(folder, `${before}.0.log`), headerLine('another start') + submissionLine(uuidv7(), 'main'));
  expect(await journals.read(before)).toBeUndefined();
  expect(await journals.read(id)).toBeDefined();
});

test('a line that was cut off or torn leaves the outcome of its mail unknown, and spoils no other', async () => {
  const { folder, id, journal } = await newJournal();
  const [torn, whole, cut] = [uuidv7(), uuidv7(), uuidv7()];
  journal.submitting(torn, 'main');
  await turn();
  await writeFile(
    join(folder, `${id}.0.log`),
    `= ${torn} {"state":"answ\n${submissionLine(whole, 'main')}= ${whole} {"state":"not submitted"}\n> ${cut.slice(0, 9)}`,
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
  journal.submitting(first, 'main');
  fillFile(journal);
  const files = async (): Promise<string[]> => (await readdir(folder)).toSorted();
  expect(await files()).toHaveLength(2);
  expect((await journalsIn(folder).read(id))?.(first)).toEqual(UNKNOWN);
  journal.recorded(first);
  expect(await files()).toHaveLength(1);
  expect((await journalsIn(folder).read(id))?.(uuidv7())).toEqual(NOT_SUBMITTED);
  journal.close();
  expect(await files()).toEqual([]);
});

test('of a journal of which a file cannot be read nothing is known', async () => {
  const { folder } = await newJournal();
  const [journals, boot] = [journalsIn(folder), await bootId()];
  const [whole, broken] = [uuidv7(), uuidv7()];
  for (const each of [whole, broken]) await writeFile(join(folder, `${each}.1.log`), headerLine(boot));
  await mkdir(join(folder, `${broken}.0.log`));
  expect((await journals.read(whole))?.(uuidv7())).toEqual(NOT_SUBMITTED);
  expect(await journals.read(broken)).toBeUndefined();
});

test('a mail of a file that somebody removed does not count as not submitted, and its journal tells again once it is recorded', async () => {
  const { folder, id, journal } = await newJournal();
  const [lost, kept, never] = [uuidv7(), uuidv7(), uuidv7()];
  journal.submitting(lost, 'main');
  await rm(folder, { recursive: true });
  await mkdir(folder);
  fillFile(journal);
  journal.submitting(kept, 'main');
  expect(await readdir(folder)).toHaveLength(1);
  expect(await journalsIn(folder).read(id)).toBeUndefined();
  journal.recorded(lost);
  const reading = await journalsIn(folder).read(id);
  expect([kept, never].map((sendId) => reading?.(sendId))).toEqual([UNKNOWN, NOT_SUBMITTED]);
});

test('a line that says that a file is done with and was cut off says it of no other file', async () => {
  const { folder, id, journal } = await newJournal();
  const file = join(folder, `${id}.13.log`);
  await writeFile(file, `${headerLine(await bootId(), [1, 12])}${doneLine(12).slice(0, 3)}\n${doneLine(12)}`);
  expect(await journalsIn(folder).read(id)).toBeUndefined();
  await writeFile(file, doneLine(1), { flag: 'a' });
  expect((await journalsIn(folder).read(id))?.(uuidv7())).toEqual(NOT_SUBMITTED);
  journal.close();
});

test('a folder that is lost while its process runs is made again, and mails go meanwhile', async () => {
  const { folder, id, journal } = await newJournal();
  await rm(folder, { recursive: true });
  fillFile(journal);
  const begun = uuidv7();
  journal.submitting(begun, 'main');
  expect((await journalsIn(folder).read(id))?.(begun)).toEqual(UNKNOWN);
});

test('where no next file can be begun mails go on, the log says so once, and none of them counts as not submitted', async () => {
  const told: string[] = [];
  const tell = (event: string): void => void told.push(event);
  const { folder, id, journal } = await newJournal({ ...log, warn: tell, error: tell, info: tell });
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  for (const _ of [1, 2]) fillFile(journal);
  const meanwhile = uuidv7();
  journal.submitting(meanwhile, 'main');
  expect(told).toEqual(['journal.unavailable']);
  expect(await journalsIn(folder).read(id)).toBeUndefined();
  await rm(folder);
  fillFile(journal);
  expect(told).toEqual(['journal.unavailable', 'journal.written_again']);
  expect(await journalsIn(folder).read(id)).toBeUndefined();
  journal.recorded(meanwhile);
  expect((await journalsIn(folder).read(id))?.(uuidv7())).toEqual(NOT_SUBMITTED);
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
  expect(NO_JOURNAL.submitting(uuidv7(), 'main')).toBe(true);
});
