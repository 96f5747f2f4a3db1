import { expect, test } from 'vitest';
import { KNOWN_RECEIVERS, RECEIVERS, receiverGroup } from '../../../domain/sends/receiver-group.ts';

test.each([
  ['gmail.com', 'gmail.com'],
  ['googlemail.com', 'gmail.com'],
  ['outlook.com', 'outlook.com'],
  ['hotmail.fr', 'outlook.com'],
  ['live.co.uk', 'outlook.com'],
  ['msn.com', 'outlook.com'],
  ['acme.onmicrosoft.com', 'outlook.com'],
  ['yahoo.co.uk', 'yahoo.com'],
  ['ymail.com', 'yahoo.com'],
  ['rocketmail.com', 'yahoo.com'],
  ['aol.com', 'yahoo.com'],
  ['me.com', 'icloud.com'],
  ['mac.com', 'icloud.com'],
  ['gmx.de', 'gmx.net'],
  ['web.de', 'web.de'],
  ['pm.me', 'proton.me'],
  ['aspmx.l.google.com', 'gmail.com'],
  ['outlook.example.com', 'outlook.example.com'],
  ['notgmail.com', 'notgmail.com'],
  ['gmail.com.example', 'gmail.com.example'],
  ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
  ['co.uk', 'co.uk'],
  ['', ''],
])('mail for %s is got by %s', (domain, receiver) => {
  expect(receiverGroup(domain)).toBe(receiver);
});

test('every domain of the table has one entry, and gives its receiver with all below it', () => {
  const entries = Object.entries(RECEIVERS).flatMap(([receiver, domains]) =>
    [receiver, ...domains].map((domain) => ({ receiver, domain })),
  );
  const domains = entries.map(({ domain }) => domain);
  expect(domains.filter((domain, place) => domains.indexOf(domain) !== place)).toEqual([]);
  for (const { domain, receiver } of entries) {
    expect(domain).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/);
    expect(receiverGroup(domain)).toBe(receiver);
    expect(receiverGroup(`mx.${domain}`)).toBe(receiver);
  }
  expect(KNOWN_RECEIVERS.size).toBe(Object.keys(RECEIVERS).length);
});
