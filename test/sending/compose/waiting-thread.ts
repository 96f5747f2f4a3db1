import { inThread } from '../../../sending/compose/thread-task.ts';

/** Waits until the gate is opened, then says what it was called. */
export default inThread<{ readonly name: string; readonly gate: SharedArrayBuffer }, string>(({ name, gate }, at) => {
  at(0);
  Atomics.wait(new Int32Array(gate), 0, 0);
  return { value: name, transfer: [] };
});
