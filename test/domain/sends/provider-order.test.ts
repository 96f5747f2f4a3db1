import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ProviderRoute, providerOrder, type RoutedMail } from '../../../domain/sends/provider-order.ts';

const THREE = [
  { name: 'main', weight: 3 },
  { name: 'second', weight: 1 },
  { name: 'spare', weight: 0 },
];
const mailOf = (given: Partial<RoutedMail> = {}): RoutedMail => ({
  ...{ sendId: randomUUID(), project: 'acme', brand: 'shop', type: 'marketing' },
  ...given,
});
const MAILS = 4_000;
/** The share of mails that go by each provider first. */
function sharesOf(routes: readonly ProviderRoute[], given: Partial<RoutedMail> = {}): Record<string, number> {
  const order = providerOrder(THREE, routes);
  const firsts = Array.from({ length: MAILS }, () => order(mailOf(given))[0] as string);
  return Object.fromEntries(THREE.map(({ name }) => [name, firsts.filter((first) => first === name).length / MAILS]));
}

test('mails are spread by weight, a provider of weight 0 is asked last, and each mail knows all of them', () => {
  const shares = sharesOf([]);
  expect(shares.main).toBeCloseTo(0.75, 1);
  expect(shares.second).toBeCloseTo(0.25, 1);
  expect(shares.spare).toBe(0);
  const order = providerOrder(THREE, []);
  for (let n = 0; n < 50; n++) expect(order(mailOf()).toSorted()).toEqual(['main', 'second', 'spare']);
});

test('a send has one order for ever, whoever asks for it', () => {
  const mail = mailOf();
  const routes = [{ type: 'marketing', share: 50, use: ['second'] }] as const;
  const first = providerOrder(THREE, routes)(mail);
  for (let n = 0; n < 20; n++) expect(providerOrder(THREE, routes)(mail)).toEqual(first);
});

test.each([
  ['a project', { project: 'acme' }, { project: 'other' }],
  ['a brand', { brand: 'shop' }, { brand: 'news' }],
  ['a type', { type: 'marketing' }, { type: 'transactional' }],
  ['all of them', { project: 'acme', brand: 'shop', type: 'marketing' }, { project: 'acme', brand: 'shop', type: 'transactional' }],
] as const)('a route for %s takes its mails and no others, by its providers alone', (_, meant, others) => {
  const order = providerOrder(THREE, [{ ...meant, use: ['spare', 'main'] }]);
  expect(order(mailOf(meant))).toEqual(['spare', 'main']);
  expect(order(mailOf(others))).toHaveLength(3);
});

test('the first route that means a mail decides, and what is beyond its share goes on to the next', () => {
  const routes: ProviderRoute[] = [
    { type: 'marketing', share: 10, use: ['spare'] },
    { type: 'marketing', use: ['second'] },
  ];
  const shares = sharesOf(routes);
  expect(shares.spare).toBeCloseTo(0.1, 1);
  expect(shares.second).toBeCloseTo(0.9, 1);
  expect(sharesOf(routes, { type: 'transactional' }).spare).toBe(0);
});

test('shares of routes one after the other are of what is left: half, and half of the other half', () => {
  const shares = sharesOf([{ share: 50, use: ['spare'] }, { share: 50, use: ['second'] }, { use: ['main'] }]);
  expect(shares.spare).toBeCloseTo(0.5, 1);
  expect(shares.second).toBeCloseTo(0.25, 1);
  expect(shares.main).toBeCloseTo(0.25, 1);
});
