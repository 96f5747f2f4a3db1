import { inThread } from '../../../sending/compose/thread-task.ts';

/** Waits until the gate is opened, then says what it was called; one that is called `endless` never stops running. */
export default inThread<{ readonly name: string; readonly gate: SharedArrayBuffer }, string>(({ name, gate }, at) => {
  at(0);
  while (name === 'endless');
  Atomics.wait(new Int32Array(gate), 0, 0);
  return { value: name, transfer: [] };
});
