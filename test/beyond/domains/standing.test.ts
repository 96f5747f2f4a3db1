import { expect, test } from 'vitest';
import type { Findings, RecordState } from '../../../domain/domains/finding.ts';
import { type DomainKey, OVERLAP_MS } from '../../../domain/domains/key-turns.ts';
import { type DomainStanding, GRACE_MS, nextCheckMs, type Standing, standingAfter } from '../../../domain/domains/standing.ts';
import { domainKey } from './domain-key.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const PENDING: DomainStanding = { standing: 'pending', failingSince: undefined };
const VERIFIED: DomainStanding = { standing: 'verified', failingSince: undefined };
const failing = (ms: number): DomainStanding => ({ standing: 'failing', failingSince: ago(ms) });

test.each<[string, DomainStanding, (RecordState | undefined)[], DomainStanding]>([
  ['all found verify', PENDING, ['found', 'found'], VERIFIED],
  ['one of two does not', PENDING, ['found', 'missing'], PENDING],
  ['no record at all verifies nothing', PENDING, [], PENDING],
  ['an outage verifies nothing', PENDING, ['found', undefined], PENDING],
  ['what stands goes on to stand', VERIFIED, ['found', 'found'], VERIFIED],
  ['an outage takes nothing away', VERIFIED, [undefined, undefined], VERIFIED],
  ['an outage of one takes nothing away', VERIFIED, ['found', undefined], VERIFIED],
  ['a record that goes makes it fail', VERIFIED, ['found', 'missing'], { standing: 'failing', failingSince: NOW }],
  ['a record that changes makes it fail', VERIFIED, ['wrong', 'found'], { standing: 'failing', failingSince: NOW }],
  ['it fails since the first check that missed it', failing(3_600_000), ['missing', 'found'], failing(3_600_000)],
  ['a record that is back makes it verified', failing(3_600_000), ['found', 'found'], VERIFIED],
  ['an outage does not end the failing', failing(3_600_000), ['found', undefined], failing(3_600_000)],
  ['an outage after the grace takes nothing away', failing(GRACE_MS), [undefined, undefined], failing(GRACE_MS)],
  ['a moment before the grace ends it counts', failing(GRACE_MS - 1), ['missing', 'found'], failing(GRACE_MS - 1)],
  ['with the end of the grace it is verified no more', failing(GRACE_MS), ['missing', 'found'], PENDING],
])('%s', (_, before, required, after) => {
  expect(standingAfter(before, required, NOW)).toEqual(after);
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const watched = (standing: Standing, ageMs: number, keys: readonly DomainKey[] = [], findings: Findings = {}) =>
  nextCheckMs({ standing, created_at: ago(ageMs), keys, findings }, NOW) / MINUTE;

test('a new domain is looked at within minutes, one that stands each day, one that fails each hour', () => {
  expect([0, 59, 60, 24 * 60, 14 * 24 * 60].map((minutes) => watched('pending', minutes * MINUTE))).toEqual([2, 2, 15, 360, 1440]);
  expect(watched('verified', 0)).toBe(24 * 60);
  expect(watched('failing', 0)).toBe(60);
});

test('one that stands is looked at as a new one while it lacks a record that it can do without', () => {
  const lacking = (ageMs: number) => watched('verified', ageMs, [], { dmarc: { state: 'missing', problem: 'there is none', found: [] } });
  expect([0, 2, 24 * 30].map((hours) => lacking(hours * 60 * MINUTE))).toEqual([2, 15, 1440]);
  expect(watched('verified', 0, [], { dmarc: { state: 'found', found: ['v=DMARC1; p=none'] } })).toBe(24 * 60);
});

test('a domain that stands is looked at as a new one while a key waits for its record, and when the overlap of another is over', () => {
  const signing = domainKey({ signs: true, signed_at: ago(90 * DAY), created_at: ago(91 * DAY) });
  const beside = (part: Partial<DomainKey>) => watched('verified', 100 * DAY, [signing, domainKey(part)]);
  expect(watched('verified', 100 * DAY, [signing])).toBe(24 * 60);
  expect([0, 2, 24 * 30].map((hours) => beside({ created_at: ago(hours * 60 * MINUTE) }))).toEqual([2, 15, 1440]);
  expect(beside({ signed_at: NOW, retired_at: ago(OVERLAP_MS - 5 * MINUTE) })).toBe(5);
  expect(beside({ signed_at: NOW, retired_at: ago(2 * OVERLAP_MS) })).toBe(1);
  expect(beside({ signed_at: NOW, retired_at: ago(2 * OVERLAP_MS), sealed_private_key: null })).toBe(24 * 60);
});
