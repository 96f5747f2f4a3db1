import { execFile } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runAdmin } from '../../bin/admin/program.ts';
import { readConfig } from '../../platform/config.ts';
import { plainEnvironment } from './environment.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line with these variables, some text on standard input perhaps, and nothing of the test's own. */
export type Admin = (args: readonly string[], env: Readonly<Record<string, string>>, input?: string) => Promise<Ended>;

/** Runs the command in this process: what it does and says, without the second that a process takes to start. */
export const admin: Admin = async (args, env, input = '') => {
  // The Temporal SDK reads these by itself; calls at the same time have the same.
  process.env.TEMPORAL_NAMESPACE = env.TEMPORAL_NAMESPACE ?? 'default';
  const [output, errors] = [new Written(), new Written()];
  const code = await runAdmin(args, () => readConfig(env), { input: Readable.from([input]), output, errors });
  return { code, stdout: output.text, stderr: errors.text };
};

/** Runs the program, as `npm run admin` does: that its streams and exit codes are those of the command. */
export const adminProgram: Admin = (args, env, input = '') =>
  new Promise((resolve) => {
    const running = execFile(process.execPath, [PROGRAM, ...args], { env: { ...plainEnvironment(), ...env } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    running.stdin!.end(input);
  });

class Written extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
