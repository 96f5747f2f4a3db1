import { inThread } from '../../../sending/compose/thread-task.ts';

const MIB = 2 ** 20;

/** Waits until the gate is opened, then says what it was called; one that is called `endless` never stops running, and `large` grows to 200 MB. */
export default inThread<{ readonly name: string; readonly gate: SharedArrayBuffer }, string>(({ name, gate }, at) => {
  at(0);
  const kept: number[][] = [];
  while (name === 'endless' || name === 'large')
    if (name === 'large' && kept.length < 200) kept.push(new Array<number>(MIB / 8).fill(kept.length));
  Atomics.wait(new Int32Array(gate), 0, 0);
  return { value: name, transfer: [] };
});
