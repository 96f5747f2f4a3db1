import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from './child-environment.ts';
import type { Progress } from './progress.ts';

const PROGRAM = fileURLToPath(new URL('../bin/build-console.ts', import.meta.url));

/** Behind everything that somebody may be waiting for. */
const LOW_PRIORITY = 15;

export interface ConsoleBuild {
  /** Breaks it off, if it is still at work. */
  stop(): Promise<void>;
}

/** Builds the console beside everything else, if it is missing or stale. When that fails it is told, and all else runs on. */
export function startConsoleBuild(progress: Progress): ConsoleBuild {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'pipe'], env: childEnvironment() });
  if (child.pid) setPriority(child.pid, LOW_PRIORITY);
  let isStopped = false;
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  const ended = new Promise<void>((resolve) => {
    const end = (code: number | null): void => {
      if (code !== 0 && !isStopped) progress(`the console could not be built, all else works:\n${problem.trim()}`);
      resolve();
    };
    child.once('error', (error) => {
      problem += error.message;
      end(null);
    });
    child.once('close', end);
  });
  return {
    stop() {
      isStopped = true;
      child.kill();
      return ended;
    },
  };
}
