import { createContext, Script } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';

/** Tells what a call comes to that takes so many milliseconds, which is longer than its limit. */
const script = new Script(`const end = Date.now() + ${workerData}; while (Date.now() < end); "done"`);
let answer: string;
try {
  answer = script.runInContext(createContext(), { timeout: 10 }) as string;
} catch (error) {
  answer = (error as NodeJS.ErrnoException).code as string;
}
parentPort?.postMessage(answer);
