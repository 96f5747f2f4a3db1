import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { CODES, type Say, zones } from '../../support/name-server.ts';
import { asking } from './asking.ts';

const NAME = 'name.example';
const RIGHT = zones({ [NAME]: { TXT: ['a'], A: ['192.0.2.1'] } });
const FOUND = { status: 'found', values: ['a'], aliases: [] };
const silent: Say = () => undefined;

/** Lets the first datagram go by: what is asked is under way until it is sent again. */
const late: Say = (question) => (question.timesBefore === 0 ? undefined : RIGHT(question));

test('the same question that many ask at once is asked once', async () => {
  const { dns, asked } = await asking(RIGHT);
  const answers = await Promise.all(Array.from({ length: 100 }, () => dns.records(NAME, 'TXT')));
  expect(answers).toEqual(Array(100).fill(FOUND));
  expect(asked).toEqual([`TXT ${NAME}`]);
});

test('no answer is kept: what has changed since is in the next one', async () => {
  const says: Say = ({ name, timesBefore }) => ({ answers: [{ type: 'TXT', name, ttl: 300, data: `${timesBefore}` }] });
  const { dns } = await asking(says);
  expect(await dns.records(NAME, 'TXT')).toMatchObject({ values: ['0'] });
  expect(await dns.records(NAME, 'TXT')).toMatchObject({ values: ['1'] });
});

test('after an outage the first answer is taken', async () => {
  const { dns } = await asking((question) => (question.timesBefore === 0 ? { flags: CODES.SERVFAIL } : RIGHT(question)));
  expect(await dns.records(NAME, 'TXT')).toEqual({ status: 'unavailable', why: 'servfail' });
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
});

test('different questions that are asked at once are asked each', async () => {
  const { dns, asked } = await asking(RIGHT);
  await Promise.all([dns.records(NAME, 'TXT'), dns.records(NAME, 'A'), dns.records('other.example', 'TXT')]);
  expect(asked.toSorted()).toEqual([`A ${NAME}`, `TXT ${NAME}`, 'TXT other.example']);
});

test('whoever gives up hears so at once, and those who wait for the same answer get it', async () => {
  const { dns, asked } = await asking(late);
  const leaving = new AbortController();
  const [left, stayed] = [dns.records(NAME, 'TXT', { signal: leaving.signal }), dns.records(NAME, 'TXT')];
  await eventually(() => asked.length > 0);
  leaving.abort(new Error('no longer wanted'));
  await expect(left).rejects.toThrow('no longer wanted');
  expect(await stayed).toEqual(FOUND);
});

test('a question that nobody waits for any more is not sent again', async () => {
  const { dns, asked } = await asking(late);
  const leaving = [new AbortController(), new AbortController()];
  const left = leaving.map(({ signal }) => dns.records('other.example', 'TXT', { signal }));
  await eventually(() => asked.length > 0);
  for (const [index, controller] of leaving.entries()) {
    controller.abort();
    await expect(left[index]).rejects.toThrow('aborted');
  }
  // Sent again by a timer that began after that of the question before.
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
  expect(asked).toEqual(['TXT other.example', `TXT ${NAME}`, `TXT ${NAME}`]);
});

test('whoever asks what others have just given up asks anew', async () => {
  const { dns, asked } = await asking(late);
  const leaving = new AbortController();
  const left = dns.records(NAME, 'TXT', { signal: leaving.signal });
  await eventually(() => asked.length > 0);
  leaving.abort();
  const next = dns.records(NAME, 'TXT');
  await expect(left).rejects.toThrow('aborted');
  expect(await next).toEqual(FOUND);
});

test('whoever has given up before asking asks nobody', async () => {
  const { dns, asked } = await asking(silent);
  await expect(dns.records(NAME, 'TXT', { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(asked).toEqual([]);
});
