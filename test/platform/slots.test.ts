import { expect, test } from 'vitest';
import { createSlots, type Slots } from '../../platform/slots.ts';

const areFree = (slots: Slots, asked: number): boolean[] => Array.from({ length: asked }, () => slots.tryTake() !== undefined);

test('no more places are held at once than there are, also when one is given back twice', () => {
  const slots = createSlots(2);
  const first = slots.tryTake();
  expect([first !== undefined, ...areFree(slots, 2)]).toEqual([true, true, false]);
  first?.();
  first?.();
  expect(areFree(slots, 2)).toEqual([true, false]);
  expect(areFree(createSlots(0), 1)).toEqual([false]);
});

test('a place within others is one of them, and both are free again when it is given back', () => {
  const all = createSlots(3);
  const few = createSlots(1, all);
  const held = few.tryTake();
  expect(areFree(few, 1)).toEqual([false]);
  held?.();
  held?.();
  expect([areFree(few, 2), areFree(all, 3)]).toEqual([
    [true, false],
    [true, true, false],
  ]);
});

test('a place of which all others are taken is not taken in vain', () => {
  const all = createSlots(1);
  const few = createSlots(1, all);
  const held = all.tryTake();
  expect(areFree(few, 2)).toEqual([false, false]);
  held?.();
  expect(areFree(few, 2)).toEqual([true, false]);
});
