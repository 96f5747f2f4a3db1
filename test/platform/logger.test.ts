import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

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
