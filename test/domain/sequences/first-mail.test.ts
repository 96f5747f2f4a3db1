import { expect, test } from 'vitest';
import { firstMail } from '../../../domain/sequences/first-mail.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { chain, is, KNOWN, type LooseGraph, MAIL } from './graphs.ts';

const of = (loose: LooseGraph) => {
  const read = parseGraph(loose, 'draft', KNOWN);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return firstMail(read.valid.graph);
};

test('a graph whose first node is a mail says where its runs stand first, also with a goal that only an event meets', () => {
  const stands = { entry: { node: { id: 'trigger' }, outcome: 'enrolled' }, node: { id: 'mail' }, step: 2 };
  expect(of(chain(MAIL))).toMatchObject(stands);
  expect(of({ ...chain(MAIL), goal: { event: { type: 'bought' } } })).toMatchObject(stands);
});

test('a graph does not say so where the contact or the clock has a say first, nor where no mail comes first', () => {
  expect(of({ ...chain(MAIL), goal: { condition: is('x') } })).toBeUndefined();
  expect(of(chain({ id: 'd', kind: 'wait_delay', config: { minutes: 1 } }, MAIL))).toBeUndefined();
  expect(of(chain())).toBeUndefined();
});
