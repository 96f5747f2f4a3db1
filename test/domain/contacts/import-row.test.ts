import { describe, expect, test } from 'vitest';
import { columnField, type ImportColumn } from '../../../domain/contacts/import-columns.ts';
import { planRows } from '../../../domain/contacts/import-plan.ts';
import { type ImportedRow, readRow } from '../../../domain/contacts/import-row.ts';

const columnsOf = (...names: string[]): ImportColumn[] => names.map((name) => ({ name, field: columnField(name) ?? null }));
const settings = (...names: string[]) => ({ columns: columnsOf('email', ...names), tagSeparator: ',', tags: ['all'] });
const row = (names: string[], ...cells: string[]) => readRow(['a@example.com', ...cells], settings(...names));

describe('a row', () => {
  test.each([
    ['status', 'Unsubscribed', { status: 'unsubscribed' }],
    ['status', 'suppressed', { suppress: 'manual' }],
    ['suppressed', 'YES', { suppress: 'manual' }],
    ['suppressed', 'global_unsubscribe', { suppress: 'global_unsubscribe', status: 'unsubscribed' }],
    ['suppressed', 'no', {}],
    ['tags', ' a, b ,,a', { tags: ['all', 'a', 'b'] }],
    ['topics.news', 'off', { topics: { news: false } }],
    ['locale', 'de-CH', { locale: 'de-CH' }],
    ['first_name', "'=1", { firstName: '=1' }],
    ['first_name', "'plain", { firstName: "'plain" }],
    ['consent.at', '2024-05-01 10:00', { consent: {}, consentAt: new Date('2024-05-01T10:00:00Z') }],
  ])('reads %s %j', (name, cell, said) => {
    expect(row([name], cell)).toEqual({ email: 'a@example.com', tags: ['all'], ...said });
  });

  test.each([
    ['status', 'gone', 'invalid_value'],
    ['suppressed', 'maybe', 'invalid_value'],
    ['timezone', 'Mars', 'invalid_value'],
    ['tags', 'x'.repeat(65), 'invalid_value'],
    ['consent.at', '2024-02-31T25:00', 'invalid_value'],
    ['first_name', 'M\uFFFDller', 'not_utf8'],
    ['source', 'x'.repeat(201), 'invalid_value'],
  ])('refuses %s %j, and knows whose it is', (name, cell, reason) => {
    expect(row([name], cell)).toMatchObject({ reason, column: name, email: 'a@example.com' });
  });

  test.each([
    ['-1.5e3', -1500],
    ['9007199254740991', 9007199254740991],
    ['0x1F', undefined],
    ['Infinity', undefined],
    ['123456789012345678901', undefined],
  ])('reads the number %s as it is, or refuses it', (cell, value) => {
    const columns = [
      { name: 'email', field: { kind: 'email' } as const },
      { name: 'n', field: { kind: 'attribute', name: 'n', type: 'number' } as const },
    ];
    const read = readRow(['a@example.com', cell], { columns, tagSeparator: ',', tags: [] });
    expect(read).toMatchObject(value === undefined ? { reason: 'invalid_value', column: 'n' } : { attributes: { n: value } });
  });

  test('takes no "no" of a cell back by another', () => {
    expect(row(['suppressed', 'status'], 'complaint', 'subscribed')).toMatchObject({ status: 'unsubscribed', suppress: 'complaint' });
  });
});

test('the status that several rows come to is the same in every order, where one of them says no', () => {
  const said = ['subscribed', 'unsubscribed', 'pending'] as const;
  const orders = said.flatMap((a) => said.flatMap((b) => said.map((c) => [a, b, c])));
  const origin = { source: 'import', ip: undefined, userAgent: undefined, isSandboxed: false, now: new Date() };
  for (const order of orders.filter((each) => each.includes('unsubscribed'))) {
    const rows = order.map((status): ImportedRow => ({ email: 'a@example.com', tags: [], status }));
    const { after } = planRows(rows, { existing: new Map(), onExisting: 'update', origin });
    expect([order, after.get('a@example.com')?.status]).toEqual([order, 'unsubscribed']);
  }
});
