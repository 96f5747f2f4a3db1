import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));

type Program = 'smtp-sink' | 'http-load';
const built = new Map<Program, Promise<string>>();

/** Builds one of the Go programs beside the benches, once a run; answers with the path of its binary. */
export function buildGoProgram(name: Program): Promise<string> {
  const known = built.get(name) ?? build(name);
  built.set(name, known);
  return known;
}

async function build(name: Program): Promise<string> {
  const binary = join(CACHE, name);
  await mkdir(CACHE, { recursive: true });
  const cwd = fileURLToPath(new URL(`../${name}`, import.meta.url));
  await promisify(execFile)('go', ['build', '-o', binary, '.'], { cwd, env: { ...process.env, CGO_ENABLED: '0' } });
  return binary;
}
