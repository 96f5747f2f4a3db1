import { expect, test } from 'vitest';
import { NotAnEvent } from '../../../domain/inbound/event.ts';
import { readSendgrid } from '../../../domain/inbound/sendgrid.ts';

test.each([8.64e12, 8.65e12, 253_402_300_800, 1e300])('an event at %d seconds is refused', (timestamp) => {
  const body = JSON.stringify([{ event: 'delivered', sg_event_id: 'x', timestamp }]);
  expect(() => readSendgrid(body)).toThrow(NotAnEvent);
});

test.each([
  ['14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0', '14c5d75ce93.dfd.64b469'],
  ['XBg2anf2TqCy6WXKQFhieQ.filter0905p1mdw1-4434-59E0C6FF-3.0', 'XBg2anf2TqCy6WXKQFhieQ'],
  ['Ua9z9lSTSaqYBWJe_Xfc-Q.recvd-84c5b5c4b5-4xg8w-1-6553B1A3-5.0', 'Ua9z9lSTSaqYBWJe_Xfc-Q'],
  ['Ua9z9lSTSaqYBWJe_Xfc-Q', 'Ua9z9lSTSaqYBWJe_Xfc-Q'],
])('an event with the sg_message_id %s is about the mail that was answered with %s', (messageId, submissionId) => {
  const [event] = readSendgrid(JSON.stringify([{ event: 'delivered', sg_event_id: 'x', timestamp: 1, sg_message_id: messageId }]));
  expect(event?.providerIds[0]).toBe(submissionId);
});

test('an event that names no id of a send is about none by it', () => {
  const read = (value: unknown) =>
    readSendgrid(JSON.stringify([{ event: 'delivered', sg_event_id: 'x', timestamp: 1, everpost_send_id: value }]))[0];
  for (const value of ['', 'x', 7, null, ['0199c0de-0000-7000-8000-000000000001']]) expect(read(value)).not.toHaveProperty('sendId');
  expect(read('0199c0de-0000-7000-8000-000000000001')).toMatchObject({ sendId: '0199c0de-0000-7000-8000-000000000001' });
});
