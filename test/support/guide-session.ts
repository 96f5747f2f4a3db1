import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { GuideBlock } from './guide-blocks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a reader copies from an answer into a variable, as the pages ask for it. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many calls
const COPIED: Readonly<Record<string, (answer: any) => unknown>> = {
  WEBHOOK_SECRET: (answer) => answer.secret,
  ENDPOINT_ID: (answer) => answer.endpoint?.id,
  CONTACT_ID: (answer) => answer.contacts?.[0].id,
  PROVIDER_ID: (answer) => answer.id,
  DOMAIN_ID: (answer) => answer.domain?.id,
};

export type Variables = Record<string, string>;

/** A reader's terminal while one page is read. */
export interface Session {
  /** For files. */
  readonly folder: string;
  env: Variables;
  /** What the last call answered. */
  answer: unknown;
  output: string;
}

/** How a program ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In the folder of the repository, where its packages are found. */
export function run(command: string, args: readonly string[], env: Variables): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: ROOT, env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

/** What it has printed. Fails the test when it has failed. */
export async function must(running: Promise<Ran>, place: string): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ place, code, stderr, stdout }).toEqual({ place, code: 0, stderr: code === 0 ? stderr : '', stdout });
  return stdout;
}

/** A file whose content a call of curl sends. */
export const FILE_OF_CALL = /--json @([\w-]+\.json)/;

/** A file of the reader's own, larger than an argument of a program may be. */
const OWN_FILE = /< ([\w-]+\.pdf)/;
const OWN_FILE_BYTES = 200_000;

/** A list that one block writes and the next one reads. */
const LISTS = /\b[\w-]+\.csv\b/g;

/** As typed into a terminal: what one block exports the next ones have. */
export async function inShell({ code, place }: GuideBlock, session: Session): Promise<string> {
  const kept = join(session.folder, 'exported');
  const [, own] = OWN_FILE.exec(code) ?? [];
  if (own) await writeFile(join(session.folder, own), randomBytes(OWN_FILE_BYTES));
  const inFolder = code
    .replace(FILE_OF_CALL, (_, file: string) => `--json @${join(session.folder, file)}`)
    .replace(OWN_FILE, (_, file: string) => `< ${join(session.folder, file)}`)
    .replace(LISTS, (file) => join(session.folder, file));
  const stdout = await must(run('bash', ['-c', `set -euo pipefail\n${inFolder}\nenv -0 > ${kept}`], session.env), place);
  session.env = Object.fromEntries((await readFile(kept, 'utf8')).split('\0').flatMap((line) => splitOnce(line)));
  return stdout;
}

function splitOnce(line: string): [string, string][] {
  const at = line.indexOf('=');
  return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
}

/** As a module of a file of its own. */
export const inNode = (code: string, env: Variables): Promise<Ran> => run(process.execPath, ['--input-type=module', '--eval', code], env);

/** The last of the JSON documents that were printed one after the other; undefined where there is none. */
function lastJson(output: string): unknown {
  const text = output.trim();
  for (let at = text.length; at >= 0; at = text.lastIndexOf('{"ok"', at - 1)) {
    try {
      return JSON.parse(text.slice(at));
    } catch {
      if (at === 0) return undefined;
    }
  }
  return undefined;
}

/** Keeps what a block has printed for the next ones. Fails when a call was refused and the page does not say so. */
export function took(session: Session, output: string, block: GuideBlock, next: GuideBlock | undefined): void {
  session.output = output;
  session.answer = lastJson(output);
  if (output.includes('"ok":false') && next?.title !== 'answer') throw new Error(`${block.place} failed: ${output}`);
  if (typeof session.answer !== 'object' || session.answer === null) return;
  for (const [name, read] of Object.entries(COPIED)) {
    const value = read(session.answer);
    if (typeof value === 'string') session.env[name] = value;
  }
}

/** Starts a receiver of a page where calls to RECEIVER_URL go, and waits until it refuses what is not signed. */
export async function startReceiver(command: string, args: readonly string[], env: Variables): Promise<ChildProcess> {
  const url = env.RECEIVER_URL!;
  const server = spawn(command, args, { cwd: ROOT, env: { ...env, PORT: new URL(url).port }, stdio: 'ignore' });
  await eventually(async () => (await fetch(url, { method: 'POST', body: '{}' })).status === 400);
  return server;
}
