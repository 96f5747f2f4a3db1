import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, endLeftover } from './guarded-process.ts';

const WAIT_MS = 20_000;

/**
 * Makes a cluster ready to be started again after any kind of crash: ends a server that still runs, waits for backends that
 * outlived it, and removes a lock file whose process id now belongs to something else. PostgreSQL itself would refuse on such an
 * id, and a container hands out the same few after every restart.
 */
export async function settleCrashedCluster(cluster: string, pidFile: string): Promise<void> {
  await endLeftover(pidFile, cluster, { stop: 'SIGINT', hard: 'SIGQUIT' });
  const deadline = Date.now() + WAIT_MS;
  while ((await someoneWorksIn(cluster)) && Date.now() < deadline) await sleep(100);
  const lockFile = join(cluster, 'postmaster.pid');
  const pid = Number((await readFile(lockFile, 'utf8').catch(() => '')).split('\n')[0]);
  if (pid > 1 && !(await commandLine(pid)).includes(cluster) && !(await someoneWorksIn(cluster))) await rm(lockFile, { force: true });
}

/** Every process of a PostgreSQL server has the cluster as its working folder. Only Linux tells; elsewhere PostgreSQL's own check has to do. */
async function someoneWorksIn(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return folders.includes(folder);
}
