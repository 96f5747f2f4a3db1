import { setTimeout as sleep } from 'node:timers/promises';
import { asyncLocalStorage } from '@temporalio/activity';
import { afterEach, expect, test } from 'vitest';
import type { LogFields, Logger } from '../../platform/logger.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { activityFields } from '../../platform/temporal/activity-fields.ts';
import { NO_JOURNAL } from '../../sending/journal/submission-journal.ts';
import { Provider } from '../../sending/providers/provider.ts';
import { NO_PACE } from '../../sending/send-pace.ts';
import { createSubmit, type Submit } from '../../sending/submit.ts';
import { ACTIVITY_TYPES } from '../../workflows/contracts.ts';
import { finishedMailTo } from '../platform/mail/mails.ts';
import { type Script, type ScriptedServer, scriptedServer } from '../platform/mail/smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const lines: string[] = [];
const at = (event: string): void => void lines.push(event);
const log: Logger = { debug: at, info: at, warn: at, error: at, writes: () => true, child: () => log };

const ACCEPTED: ProviderAnswer = { outcome: 'accepted', providerId: undefined };
const PUT_OFF: ProviderAnswer = { outcome: 'later', message: '454 4.7.0 too fast', retryAfterSeconds: 60 };
const DEFERRED: ProviderAnswer = { ...PUT_OFF, isDeferredRecipient: true };

/** As it stands where there is no other. */
function onlyProvider(mail: MailProvider, to: Logger, now: () => Date): Provider {
  return new Provider({ name: mail.name, mail, pace: NO_PACE, allowances: undefined, changed: undefined, log: to, now });
}

/** The lines of a log about a provider that gives these answers, one mail each, so many seconds after the start. */
async function logOf(
  answers: readonly (readonly [seconds: number, answer: ProviderAnswer])[],
  recipientAt = (_second: number) => 'bob@example.org',
  to = log,
): Promise<string[]> {
  lines.length = 0;
  let given = ACCEPTED;
  let now = new Date(0);
  const provider: MailProvider = {
    name: 'smtp',
    host: 'mail.example:587',
    idempotent: false,
    format: 'message',
    send: async () => given,
    close: async () => {},
  };
  const submit = asyncLocalStorage.exit(() =>
    createSubmit({ provider: onlyProvider(provider, to, () => now), journal: NO_JOURNAL, metrics: createMetrics() }),
  );
  for (const [seconds, answer] of answers) {
    given = answer;
    now = new Date(seconds * 1000);
    await submit(finishedMailTo(recipientAt(seconds)), performance.now());
  }
  return [...lines];
}

const each = (from: number, to: number, answerAt: (second: number) => ProviderAnswer): [number, ProviderAnswer][] =>
  Array.from({ length: to - from }, (_, i) => [from + i, answerAt(from + i)]);

test('an outage is one line when no mail was taken for a while, and one when a mail is taken again', async () => {
  const answers = [...each(0, 40, () => PUT_OFF), ...each(40, 60, () => ACCEPTED)];
  expect(await logOf(answers)).toEqual(['mail.provider_unavailable', 'mail.provider_back']);
});

test('a provider that puts off two mails in three is not logged as away', async () => {
  expect(await logOf(each(0, 90, (second) => (second % 3 === 0 ? ACCEPTED : PUT_OFF)))).toEqual([]);
});

test('a provider that defers every recipient is one outage, which ends with a mail that is taken', async () => {
  const answers = [...each(0, 40, () => DEFERRED), ...each(40, 60, () => ACCEPTED)];
  expect(await logOf(answers, (second) => `r${second}@example.org`)).toEqual(['mail.provider_unavailable', 'mail.provider_back']);
});

test('the line of an outage names the host of the provider and what it said, without the recipient', async () => {
  const fields: (LogFields | undefined)[] = [];
  const noting: Logger = { ...log, info: (_, said) => void fields.push(said), warn: (_, said) => void fields.push(said) };
  const refused: ProviderAnswer = { ...PUT_OFF, message: '451 4.7.1 <bob@example.org> comes too often, Bob' };
  await logOf([...each(0, 20, () => refused), ...each(20, 30, () => ACCEPTED)], undefined, noting);
  expect(fields).toEqual([
    { provider: 'smtp', host: 'mail.example:587', reason: '451 4.7.1 …@… comes too often, …' },
    { provider: 'smtp', host: 'mail.example:587' },
  ]);
});

test('a recipient that is deferred is no outage, however often, nor are many among others that are taken', async () => {
  expect(await logOf(each(0, 90, () => DEFERRED))).toEqual([]);
  const some = each(0, 90, (second) => (second % 9 === 0 ? ACCEPTED : DEFERRED));
  expect(await logOf(some, (second) => `r${second}@example.org`)).toEqual([]);
});

test('a recipient that was deferred before does not make the first mail that the provider puts off an outage', async () => {
  expect(await logOf([...each(0, 20, () => DEFERRED), ...each(20, 29, () => PUT_OFF)])).toEqual([]);
});

test('the lines of an outage name no workflow, whichever submitted the mail', async () => {
  const named: LogFields[] = [];
  const noting: Logger = { ...log, info: () => void named.push(activityFields()), warn: () => void named.push(activityFields()) };
  const workflow = { info: { workflowExecution: { workflowId: 'enrollment/1' }, activityType: ACTIVITY_TYPES.sendWithTask } };
  await asyncLocalStorage.run(workflow as never, async () => {
    expect(activityFields()).toMatchObject({ workflowId: 'enrollment/1' });
    await logOf([...each(0, 20, () => PUT_OFF), ...each(20, 30, () => ACCEPTED)], undefined, noting);
  });
  expect(named).toEqual([{}, {}]);
});

async function smtpSubmit(script: Script, timeoutSeconds: number): Promise<{ server: ScriptedServer; submit: Submit }> {
  lines.length = 0;
  const server = await scriptedServer(script);
  const provider = createMailProvider(new URL(`smtp://127.0.0.1:${server.port}`), { maxConnections: 20, timeoutSeconds });
  open.push(server, provider);
  const only = onlyProvider(provider, log, () => new Date());
  return { server, submit: createSubmit({ provider: only, journal: NO_JOURNAL, metrics: createMetrics() }) };
}

test('a batch for a server that needs more than half of a try for each mail arrives whole, and no mail of it has an unknown outcome', async () => {
  const { server, submit } = await smtpSubmit(async (verb) => {
    if (verb === 'DOT') await sleep(3_000);
    return undefined;
  }, 5);
  const mails = Array.from({ length: 57 }, (_, i) => finishedMailTo(`r${i}@example.org`));
  const answers = await Promise.all(mails.map((mail) => submit(mail, performance.now())));
  expect(answers.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  expect(server.received.flatMap(({ to }) => to).toSorted()).toEqual(mails.map(({ to }) => to).toSorted());
  expect(lines).toEqual([]);
});
