import { createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { ANSWERED, type AnsweringThread, FROZEN } from './frozen.ts';

const { flags, greeting, replies, last } = workerData as AnsweringThread;

/** Says `answer` once the other thread stands still, and tells it when the system has it. */
function answerTheFrozen(socket: Socket, answer: string): void {
  parentPort?.postMessage('asked');
  Atomics.wait(flags, FROZEN, 0);
  socket.write(answer, () => {
    Atomics.store(flags, ANSWERED, 1);
    Atomics.notify(flags, ANSWERED);
  });
}

const server = createServer((socket) => {
  let heard = '';
  const left = [...replies];
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
    if (heard.endsWith(last.asked)) answerTheFrozen(socket, last.answer);
    else if (heard.endsWith('\r\n')) socket.write(left.shift() ?? '');
  });
  socket.write(greeting);
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address()));
