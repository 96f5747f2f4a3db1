import { expect, test } from 'vitest';
import { relativeWords } from '../../console/src/show/relative-time.ts';

const at = (day: number, hour: number, minute = 0, second = 0): Date => new Date(2026, 5, day, hour, minute, second);
const now = at(10, 10);

test.each([
  [at(10, 10, 0, 3), 'just now'],
  [at(10, 9, 59, 10), 'just now'],
  [at(10, 10, 0, 40), 'in a moment'],
  [at(10, 10, 1, 50), 'in 2 min'],
  [at(10, 9, 58, 10), '2 min ago'],
  [at(10, 10, 59, 40), 'in 1 h'],
  [at(10, 8, 20), '2 h ago'],
  [at(11, 9), 'in 23 h'],
  [at(11, 9, 59), 'tomorrow'],
  [at(11, 23, 59), 'tomorrow'],
  [at(12, 0, 1), 'in 2 days'],
  [at(12, 9, 50), 'in 2 days'],
  [at(9, 10, 1), 'yesterday'],
  [at(9, 0), 'yesterday'],
  [at(8, 23), '2 days ago'],
])('%s is told to the nearest: %s', (date, words) => {
  expect(relativeWords(date, now)).toBe(words);
});

test('most of a day within one day is told in hours', () => {
  expect(relativeWords(at(10, 23, 50), at(10, 0, 5))).toBe('in 24 h');
});
