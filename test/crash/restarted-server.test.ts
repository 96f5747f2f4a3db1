import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { restartWhenEnded, withServers } from '../../local/restarted-server.ts';
import { createLogger } from '../../platform/logger.ts';
import { testEnvironment } from '../support/environment.ts';
import { notedPid } from '../support/noted-pid.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(testEnvironment().scratchDir, 'restarted-'));
});

const log = createLogger('silent', {});

/** A server that does what the shell is told. */
function server(script: string): GuardedProcess {
  return startGuarded({
    name: 'the server',
    command: 'sh',
    args: ['-c', script],
    logFile: join(folder, 'server.log'),
    pidFile: join(folder, 'server.pid'),
    stopSignal: 'TERM',
    hardSignal: 'KILL',
    graceSeconds: 1,
  });
}

test('a server that ends by itself ten times is given up, with how it ended the last time', async () => {
  let starts = 1;
  const again = async () => server(`echo trouble ${++starts}; exit 3`);
  const { failed } = restartWhenEnded(server('echo trouble 1; exit 3'), { again, log, firstPauseMs: 1 });
  await expect(failed).rejects.toMatchObject({
    name: 'ConfigError',
    message: 'the server has ended by itself 10 times within ten minutes. The last time it exited with 3; its last lines:\ntrouble 10',
  });
  expect(starts).toBe(10);
});

test('a server that cannot be started again counts as one that ended', async () => {
  const again = async () => {
    throw new Error('the disk is full');
  };
  const { failed } = restartWhenEnded(server('exit 1'), { again, log, firstPauseMs: 1 });
  await expect(failed).rejects.toThrow('The last time it could not be started: the disk is full');
});

test('what ends while it is stopped is not started again', async () => {
  let starts = 1;
  const again = async () => {
    starts++;
    return server('sleep 60');
  };
  const running = server('sleep 60');
  const restarted = restartWhenEnded(running, { again, log, firstPauseMs: 1 });
  await restarted.stop();
  expect([running.running, starts]).toEqual([false, 1]);
});

test('a server that is just being started again when it is stopped is ended, too', async () => {
  const asked = Promise.withResolvers<void>();
  const { promise: mayStart, resolve: letStart } = Promise.withResolvers<void>();
  let second: GuardedProcess | undefined;
  const again = async () => {
    asked.resolve();
    await mayStart;
    second = server('sleep 60');
    return second;
  };
  const restarted = restartWhenEnded(server('exit 1'), { again, log, firstPauseMs: 1 });
  await asked.promise;
  const stopping = restarted.stop();
  letStart();
  await stopping;
  expect(second?.running).toBe(false);
});

test('a step that fails since its server ended is done again when that is back', async () => {
  const servers = [restartWhenEnded(server('sleep 60'), { again: async () => server('sleep 60'), log, firstPauseMs: 1 })];
  let tries = 0;
  const step = async (): Promise<string> => {
    if (++tries > 1) return `done by try ${tries}`;
    process.kill(await notedPid(join(folder, 'server.pid')), 'SIGKILL');
    throw new Error('the connection broke');
  };
  expect(await withServers(servers, step)).toBe('done by try 2');
  await Promise.all(servers.map((one) => one.stop()));
});

test('a step waits for a server that is on its way, and one that fails by itself is not done again', async () => {
  const { promise: mayStart, resolve: letStart } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const again = async () => {
    asked.resolve();
    await mayStart;
    return server('sleep 60');
  };
  const servers = [restartWhenEnded(server('exit 1'), { again, log, firstPauseMs: 1 })];
  await asked.promise;
  let tries = 0;
  const done = withServers(servers, async () => {
    tries++;
    throw new Error('wrong by itself');
  });
  expect(tries).toBe(0);
  letStart();
  await expect(done).rejects.toThrow('wrong by itself');
  expect(tries).toBe(1);
  await Promise.all(servers.map((one) => one.stop()));
});

test('of a server that was killed the lines of its last seconds are told, and none that is older', async () => {
  const killed = server('echo long ago; sleep 12; echo at last; kill -9 $$');
  await killed.ended;
  expect(killed.lastWords()).toBe('it was ended by SIGKILL; its last lines:\nat last');
  const silent = server('echo long ago; sleep 12; kill -9 $$');
  await silent.ended;
  expect(silent.lastWords()).toBe(`it was ended by SIGKILL; it wrote nothing just before (${join(folder, 'server.log')})`);
});
