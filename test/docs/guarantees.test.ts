import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/guarantees.md', 'utf8');
const CITED = /`(test\/[\w/-]+\.test\.ts)`: (.+?) \|$/gm;

test('every promise of docs/guarantees.md names a test that is there', () => {
  const cited = [...page.matchAll(CITED)].map(([, file = '', name = '']) => ({ file, name }));
  const promises = page.split('\n').filter((line) => line.split(' | ').length === 3 && !/^\| (promise|---)/.test(line));
  expect(cited).toHaveLength(promises.length);
  for (const { file, name } of cited) expect(readFileSync(file, 'utf8')).toContain(`'${name}'`);
});
