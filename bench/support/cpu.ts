import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

/** USER_HZ: what /proc counts in on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parent: number;
  readonly seconds: number;
}

/** CPU seconds, user and system, that a process and its descendants have used so far, those that ended included. Linux only. */
export async function cpuSeconds(root: number): Promise<number> {
  const processes = new Map<number, ProcessTimes>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const times = await readTimes(Number(name));
    if (times) processes.set(Number(name), times);
  }
  let total = 0;
  for (const [pid, { seconds }] of processes) if (descends(pid, root, processes)) total += seconds;
  return total;
}

/** What each process used between two readings. */
export function cpuBetween<Name extends string>(
  before: Readonly<Record<Name, number>>,
  after: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(after) as Name[];
  return Object.fromEntries(names.map((name) => [name, Number((after[name] - before[name]).toFixed(2))])) as Record<Name, number>;
}

export interface CpuUsed {
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** For a thousand mails: of each process, and the sum without the client, which is what the mails cost the machine. */
  readonly cpuSecondsPer1000: Readonly<Record<string, number>>;
  /** The share of the machine that everything else used meanwhile: a run with more than a few per cent says little. */
  readonly othersShare: number;
}

/** Starts to measure the processes that `read` knows; the function it gives ends that, with what a client that has ended had used. */
export async function startMeter(
  read: () => Promise<Readonly<Record<string, number>>>,
): Promise<(mails: () => Promise<number>, client?: number) => Promise<CpuUsed>> {
  const [before, machineBefore, startedAt] = [await read(), await machineSeconds(), performance.now()];
  return async (mails, client = 0) => {
    const used = cpuBetween(before, await read());
    const machine = (await machineSeconds()) - machineBefore;
    const available = ((performance.now() - startedAt) / 1000) * availableParallelism();
    const cpuSeconds = { ...used, client: Number(((used.client ?? 0) + client).toFixed(2)) };
    const own = Object.values(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0);
    const othersShare = Number((Math.max(0, machine - own) / available).toFixed(3));
    return { cpuSeconds, cpuSecondsPer1000: per1000(cpuSeconds, await mails()), othersShare };
  };
}

function per1000(cpu: Readonly<Record<string, number>>, mails: number): Record<string, number> {
  const rate = (seconds: number): number => Number(((seconds / Math.max(mails, 1)) * 1000).toFixed(3));
  const used = Object.entries(cpu).filter(([, seconds]) => seconds > 0);
  const total = used.reduce((sum, [name, seconds]) => sum + (name === 'client' ? 0 : seconds), 0);
  return { ...Object.fromEntries(used.map(([name, seconds]) => [name, rate(seconds)])), total: rate(total) };
}

/** What all processes of the machine have used since it started. */
async function machineSeconds(): Promise<number> {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (await readFile('/proc/stat', 'utf8')).split(/\s+/, 9).map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}

/** The most memory, in MB, that a process has had so far, without its children. Linux only. */
export async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

function descends(pid: number, root: number, processes: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at; at = processes.get(at)?.parent) if (at === root) return true;
  return false;
}

async function readTimes(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field, the name, may hold spaces and parentheses: proc_pid_stat(5).
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
}
