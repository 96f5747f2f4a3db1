import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A text that no other process has had with the same id: when it started. "" when there is no such process. */
export async function processIdentity(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    ]);
    // The fields after the name, which may itself hold spaces and brackets: state first, start time as the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return !stat || fields[0] === 'Z' ? '' : `${boot.trim()}/${fields[19]}`;
  }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, stdout) => resolve(error ? '' : stdout.trim()));
  });
}
