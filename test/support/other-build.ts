import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testEnvironment } from './environment.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_RUN = ['test', 'bench', 'docs', 'node_modules'];

/** A place in the code, and what stands there instead. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The programs as another release has them: a copy of the code with these edits. Returns its folder. */
export async function otherBuild(...edits: readonly Edit[]): Promise<string> {
  const build = await mkdtemp(join(testEnvironment().scratchDir, 'build-'));
  for (const name of await readdir(ROOT))
    if (!name.startsWith('.') && !NOT_RUN.includes(name)) await cp(join(ROOT, name), join(build, name), { recursive: true });
  // A folder of its own: what is made from the code and kept there differs.
  await mkdir(join(build, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) await symlink(join(ROOT, 'node_modules', name), join(build, 'node_modules', name));
  for (const { file, from, to } of edits) {
    const code = await readFile(join(build, file), 'utf8');
    if (!code.includes(from)) throw new Error(`${file} has no "${from}"`);
    await writeFile(join(build, file), code.replace(from, to));
  }
  return build;
}
