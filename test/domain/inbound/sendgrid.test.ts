import { expect, test } from 'vitest';
import { NotAnEvent } from '../../../domain/inbound/event.ts';
import { readSendgrid } from '../../../domain/inbound/sendgrid.ts';

test.each([8.64e12, 8.65e12, 253_402_300_800, 1e300])('an event at %d seconds is refused', (timestamp) => {
  const body = JSON.stringify([{ event: 'delivered', sg_event_id: 'x', timestamp }]);
  expect(() => readSendgrid(body)).toThrow(NotAnEvent);
});
