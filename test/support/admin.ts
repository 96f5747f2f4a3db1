import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from './environment.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the admin command with these variables and none of the test's own. */
export function admin(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: { ...plainEnvironment(), ...env } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
