import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { SmtpWire } from '../../../platform/mail/smtp-wire.ts';

test('octets that could not be written are never said to be taken', async () => {
  const socket = new Socket();
  const wire = new SmtpWire(socket);
  let reason: string | undefined;
  let isTaken = false;
  wire.listen({
    answered: () => {},
    broken: (text) => {
      reason = text;
    },
  });
  socket.destroy();
  wire.writeAll(Buffer.from('a'), () => {
    isTaken = true;
  });
  await once(socket, 'close');
  expect([isTaken, reason]).toEqual([false, 'the mail server closed the connection']);
});

test('a question on a broken wire gives the reason for which it broke', async () => {
  const socket = new Socket();
  const wire = new SmtpWire(socket);
  wire.break('the mail server did not answer in time');
  await expect(wire.ask('EHLO a')).rejects.toThrow('the mail server did not answer in time');
});
