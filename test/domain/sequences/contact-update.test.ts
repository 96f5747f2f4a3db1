import { expect, test } from 'vitest';
import { newContact } from '../../../domain/contacts/contact.ts';
import { applyUpdate, type UpdatedContact } from '../../../domain/sequences/contact-update.ts';
import type { ContactUpdate } from '../../../domain/sequences/kinds/update-contact-config.ts';
import { WALK_LIMITS, WalkBudget } from '../../../domain/sequences/walk-budget.ts';

const NOW = new Date('2026-06-10T09:00:00Z');
const ANN = {
  ...newContact({ email: 'ann@example.com' }, { source: 'api', ip: undefined, userAgent: undefined, isSandboxed: false, now: NOW }),
  first_name: 'Ann',
  tags: ['vip'],
  timezone: 'Europe/Berlin',
};

function updated(update: ContactUpdate, variables: object): UpdatedContact {
  return applyUpdate(ANN, update, { variables, budget: new WalkBudget(WALK_LIMITS), now: NOW });
}

test('what the event does not have wipes nothing and is told of; null and an empty text clear on purpose', () => {
  const set = { firstName: '{{ event.name }}', timezone: '{{ event.zone }}' };
  const changed = updated({ set }, { event: {} });
  expect(changed.contact).toMatchObject({ first_name: 'Ann', timezone: 'Europe/Berlin' });
  expect(changed.detail).toBe('contact updated, without firstName, timezone: not a possible value');
  expect(updated({ set: { firstName: null } }, {}).contact.first_name).toBeNull();
  expect(updated({ set: { firstName: '' } }, {}).contact.first_name).not.toBe('Ann');
});

test('tags are added once and in order, removed before, and one that is no tag is passed over', () => {
  const update = { addTags: ['{{ event.plan }}', 'vip', '{{ event.nothing }}'], removeTags: ['vip'] };
  const { contact, detail } = updated(update, { event: { plan: 'pro' } });
  expect(contact.tags).toEqual(['pro', 'vip']);
  expect(detail).toBe('contact updated, without tags: not a possible value');
});
