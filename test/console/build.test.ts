import { execFile } from 'node:child_process';
import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { apiDocument, writeConsoleTypes } from '../../local/console-types.ts';
import { testEnvironment } from '../support/environment.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the type check of the console says when the API is as this document describes it; '' when nothing. */
async function typeCheck(document: string): Promise<string> {
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'console-types-'));
  await writeConsoleTypes(document, join(folder, 'console', 'generated'));
  for (const name of ['tsconfig.json', 'console/tsconfig.json', 'console/src', 'console/favicon.svg']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', join(folder, 'console')];
  return promisify(execFile)(process.execPath, args, { cwd: folder }).then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  );
}

test('a route that changes stops the type check where the console depends on it', async () => {
  const document = apiDocument();
  const changed = JSON.parse(document);
  const { properties } = changed.components.schemas.SendLogEntry;
  properties.recipient = properties.to_email;
  delete properties.to_email;
  delete changed.paths['/contacts/{id}/unsubscribe'];
  const [asItIs, problems] = await Promise.all([typeCheck(document), typeCheck(JSON.stringify(changed))]);
  expect(asItIs).toBe('');
  expect(problems).toMatch(/send-list\.tsx.*'to_email' does not exist/);
  expect(problems).toMatch(/use-contact-changes\.ts.*unsubscribe/);
});
