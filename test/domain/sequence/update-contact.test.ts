import { expect, test } from '@jest/globals';
import { newContact } from '../../../domain/contact.ts';
import { updateContact } from '../../../domain/sequence/update-contact.ts';

const NOW = new Date('2026-06-10T09:00:00Z');
const ANN = {
  ...newContact({ email: 'ann@example.com' }, { source: 'api', ip: undefined, userAgent: undefined, now: NOW }),
  first_name: 'Ann',
  tags: ['vip'],
  timezone: 'Europe/Berlin',
};

test('what the event does not have wipes nothing and is told of; null and an empty text clear on purpose', () => {
  const set = { firstName: '{{ event.name }}', timezone: '{{ event.zone }}' };
  const changed = updateContact(ANN, { set }, { event: {} }, NOW);
  expect(changed.contact).toMatchObject({ first_name: 'Ann', timezone: 'Europe/Berlin' });
  expect(changed.detail).toBe('contact updated, without firstName, timezone: not a possible value');
  expect(updateContact(ANN, { set: { firstName: null } }, {}, NOW).contact.first_name).toBeNull();
  expect(updateContact(ANN, { set: { firstName: '' } }, {}, NOW).contact.first_name).not.toBe('Ann');
});

test('tags are added once and in order, removed before, and one that is no tag is passed over', () => {
  const update = { addTags: ['{{ event.plan }}', 'vip', '{{ event.nothing }}'], removeTags: ['vip'] };
  const { contact, detail } = updateContact(ANN, update, { event: { plan: 'pro' } }, NOW);
  expect(contact.tags).toEqual(['pro', 'vip']);
  expect(detail).toBe('contact updated, without tags: not a possible value');
});
