import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the line of an error has its reason and place, and neither an address nor what the database adds about a row', async () => {
  const program = `
    import { createLogger } from './platform/logger.ts';
    const error = Object.assign(new Error('duplicate key of ada@example.com', { cause: new Error('at node_modules/@mikro-orm/sql') }), {
      code: '23505', detail: 'Key (to_email)=(ada@example.com) already exists.', parameters: ['ada@example.com'] });
    createLogger('info', { process: 'test' }).error('test.failed', { error });`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', program]);
  expect(JSON.parse(stderr)).toMatchObject({
    event: 'test.failed',
    process: 'test',
    error: {
      type: 'Error',
      code: '23505',
      message: 'duplicate key of …@…: at node_modules/@mikro-orm/sql',
      stack: expect.stringContaining('at '),
    },
  });
  expect(stderr).not.toContain('ada@');
});

test('the stack of an error has our own lines, and of a library only where it failed', async () => {
  const program = `
    import { createLogger } from './platform/logger.ts';
    const worker = 'at worker (file:///app/platform/in-parallel.ts:5:31)';
    const stack = ['Error: no', 'at a (/app/node_modules/x/a.js:1:1)', 'at b (/app/node_modules/x/b.js:1:1)', 'at c (node:internal/y:1:1)', worker,
      'at d (node:internal/y:1:1)', 'caused by: Error: refused', 'at e (/app/node_modules/x/e.js:1:1)', 'at f (/app/node_modules/x/f.js:1:1)'];
    const error = Object.assign(new Error('no'), { stack: stack.join('\\n    ').replaceAll('\\n    caused', '\\ncaused') });
    createLogger('info').error('test.failed', { error });`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', program]);
  const places = JSON.parse(stderr)
    .error.stack.split('\n')
    .map((line: string) => line.trim().split(' ').slice(0, 2).join(' '));
  expect(places).toEqual(['Error: no', 'at a', 'at worker', 'caused by:', 'at e']);
});
