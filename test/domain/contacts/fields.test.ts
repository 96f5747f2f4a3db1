import { expect, test } from 'vitest';
import { CONTACT_FIELDS } from '../../../domain/conditions/condition.ts';
import { byName, CONTACT_TEXT_COLUMNS } from '../../../domain/contacts/fields.ts';
import { SYSTEM_VARIABLES } from '../../../domain/templates/variables.ts';
import { apiDocument } from '../../../local/console-types.ts';

test('conditions and templates know every text of a contact', () => {
  expect(CONTACT_FIELDS).toEqual(expect.arrayContaining(CONTACT_TEXT_COLUMNS));
  expect(SYSTEM_VARIABLES.contact).toEqual(expect.arrayContaining(CONTACT_TEXT_COLUMNS));
});

test('the API takes and shows every text of a contact', () => {
  const { schemas } = JSON.parse(apiDocument()).components;
  const names = Object.keys(byName(CONTACT_TEXT_COLUMNS, () => 0));
  expect(Object.keys(schemas.Contact.properties)).toEqual(expect.arrayContaining(CONTACT_TEXT_COLUMNS));
  expect(Object.keys(schemas.ContactInput.properties)).toEqual(expect.arrayContaining(names));
  expect(Object.keys(schemas.UpdateContactConfig.properties.set.properties)).toEqual(expect.arrayContaining(names));
});
