import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { expectFitToKeep, type Line, linesOf } from '../support/log-lines.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, newSequence } from '../support/sequences.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';

let postgres: TcpProxy;
let temporal: TcpProxy;
let everpost: Everpost;
let project: TestProject;

beforeAll(async () => {
  const { databaseUrl, temporalAddress } = testEnvironment();
  [postgres, temporal] = [await tcpProxy(new URL(databaseUrl).host), await tcpProxy(temporalAddress)];
  everpost = await startEverpost({ databaseAddress: postgres.address, temporalAddress: temporal.address });
  project = await newProject({ everpost });
  await enableTemplates(project, 'receipt');
});

afterAll(async () => {
  await everpost?.stop();
  await Promise.all([postgres?.close(), temporal?.close()]);
});

test('while PostgreSQL is away what waits makes one line when that begins and one when it ends, however many mails wait', async () => {
  const runs = 300;
  const sequence = await newSequence(project, { steps: [{ template: 'receipt', delayMinutes: 0.1 }] });
  const emails = Array.from({ length: runs }, (_, index) => project.address(`waiting${index}`));
  const before = linesOf(everpost.worker).length;
  await Promise.all(emails.map((email) => project.api.post('/events', { type: sequence.trigger, email })));
  await postgres.down();
  const counted = (): Line | undefined => linesOf(everpost.worker).find(({ event }) => event === 'database.unavailable');
  await eventually(counted, { timeoutMs: 30_000 });
  await sleep(15_000);
  const during = linesOf(everpost.worker).slice(before);
  await postgres.up();
  const back = await eventually(() => linesOf(everpost.worker).find(({ event }) => event === 'database.back'));
  expect(Number(back.lines)).toBeGreaterThan(100);
  const told = during.filter(({ level }) => level !== 'info').map(({ event }) => event);
  // Workflow tasks that took long for it are one kind of warning of the SDK.
  expect(told.filter((event) => event !== 'temporal.sdk')).toEqual(['database.unavailable']);
  expect(told.length).toBeLessThan(5);
});

test('while Temporal is away the warnings of its SDK are lines of the log, each kind once and short', async () => {
  const warnings = (): Line[] => linesOf(everpost.worker).filter(({ message }) => String(message).startsWith('gRPC call'));
  await temporal.down();
  await eventually(() => warnings().length > 0, { timeoutMs: 60_000 });
  await temporal.up();
  const first = warnings().filter(({ repeated }) => repeated === undefined);
  const kinds = first.map(({ message }) => String(message).replace(/[0-9a-f-]{36}|\d+/g, '#'));
  expect(new Set(kinds).size).toBe(kinds.length);
  for (const line of first) expect(JSON.stringify(line)).not.toMatch(/Status \{|source:|\\n/);
});

test('no line at info or above has the address of a recipient, and each has its event', () => {
  for (const program of [everpost.api, everpost.worker]) expectFitToKeep(program, `to.${project.domain}`);
});
