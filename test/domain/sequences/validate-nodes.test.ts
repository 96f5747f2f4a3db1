import { expect, test } from 'vitest';
import { at, edge, problemsOf } from './graph-problems.ts';
import { EXIT, is, TRIGGER } from './graphs.ts';

const CONFIGS: [string, string, unknown, string[]][] = [
  [
    'a goal whose condition has another name',
    'goal',
    { when: is('x') },
    [expect.stringMatching(/^config\.condition: a condition is exactly one of/) as never, 'config.when: no such field; known: condition'],
  ],
  ['a mail without template', 'send_email', {}, ['config.template: required']],
  ['an unknown template', 'send_email', { template: 'nope' }, ['unknown template nope; known: welcome']],
  ['an unknown brand', 'send_email', { template: 'welcome', brand: 'nope' }, ['unknown brand nope; known: acme']],
  ['a misspelt field', 'send_email', { template: 'welcome', subjekt: 'x' }, ['config.subjekt: no such field; did you mean subject?']],
  [
    'a subject that does not parse',
    'send_email',
    { template: 'welcome', subject: '{{ name' },
    [expect.stringMatching(/^Liquid: /) as never],
  ],
  ['a delay below 0', 'wait_delay', { minutes: -1 }, ['config.minutes: at least 0']],
  ['a delay above a year', 'wait_delay', { minutes: 525_600.5 }, ['config.minutes: at most 525600']],
  ['a wait without timeout', 'wait_until', { event: { type: 'paid' } }, ['config.timeoutMinutes: a number of minutes']],
  [
    'a wait for two things',
    'wait_until',
    { event: { type: 'paid' }, condition: is('x'), timeoutMinutes: 1 },
    ['config.condition: no such field; known: event, timeoutMinutes'],
  ],
  ['a time that is none', 'wait_until', { time: { at: '24:00' } }, ['config.time.at: a time like 09:30']],
  ['a weekday that is none', 'wait_until', { time: { weekdays: [0] } }, ['config.time.weekdays[0]: at least 1']],
  ['a date that does not exist', 'wait_until', { time: { date: '2027-02-30' } }, ['config.time.date: a date like 2027-02-28']],
  ['a zone that does not exist', 'wait_until', { time: { timezone: 'Mars/Base' } }, ['config.time.timezone: not an IANA time zone']],
  ['a fallback that is no zone', 'wait_until', { time: { fallback: 'contact' } }, ['config.time.fallback: not an IANA time zone']],
  ['a digest without an end', 'digest', {}, ['config.windowMinutes: a number of minutes, or until in its place']],
  [
    'a digest with two ends',
    'digest',
    { windowMinutes: 5, until: { at: '09:00' } },
    ['config.until: exactly one of windowMinutes and until is wanted'],
  ],
  [
    'a digest of another field',
    'digest',
    { windowMinutes: 5, until: { at: '09:00' }, size: 3 },
    ['config.until: exactly one of windowMinutes and until is wanted', 'config.size: no such field; known: windowMinutes, until, key, max'],
  ],
  [
    'a digest until a time, and of another field',
    'digest',
    { until: { at: '09:00' }, size: 3 },
    ['config.size: no such field; known: windowMinutes, until, key, max'],
  ],
  ['a digest of no time', 'digest', { windowMinutes: 0 }, ['config.windowMinutes: more than 0']],
  ['a digest until a time that is none', 'digest', { until: { at: '9' } }, ['config.until.at: a time like 09:30']],
  [
    'a digest of none',
    'digest',
    { windowMinutes: 5, max: 0, key: 'a..b' },
    [
      'config.key: a path into the data of the event, like postId or post.id, of at most 200 characters',
      'config.max: a whole number from 1 to 10000',
    ],
  ],
  [
    'a throttle of none',
    'throttle',
    { count: 0, window: 0, otherwise: 'stop' },
    ['config.count: a whole number from 1 to 1000', 'config.window: more than 0', 'config.otherwise: drop or delay'],
  ],
  ['one arm', 'split', { arms: [{ key: 'a' }] }, ['config.arms: 2 to 10 arms']],
  ['eleven arms', 'split', { arms: Array.from({ length: 11 }, (_, n) => ({ key: `k${n}` })) }, ['config.arms: 2 to 10 arms']],
  ['two arms of one key', 'split', { arms: [{ key: 'a' }, { key: 'a' }] }, ['config.arms: each key once']],
  ['an arm without weight', 'split', { arms: [{ key: 'a', weight: 0 }, { key: 'b' }] }, ['config.arms[0].weight: more than 0']],
  ['a status that an update may not set', 'update_contact', { status: 'subscribed' }, ['config.status: must be unsubscribed']],
  [
    'a zone that an update may not set',
    'update_contact',
    { set: { timezone: 'Mars/Base' } },
    ['config.set.timezone: not an IANA time zone'],
  ],
  ['a tag that is too long', 'update_contact', { addTags: ['x'.repeat(65)] }, ['config.addTags[0]: 1 to 64 characters']],
  ['a tag whose Liquid does not parse', 'update_contact', { addTags: ['{% if %'] }, [expect.stringMatching(/^Liquid: /) as never]],
  ['a refused address', 'webhook', { url: 'https://10.0.0.1/' }, ['config.url: a private address']],
  ['a variable host', 'webhook', { url: 'https://{{ contact.host }}/x' }, ['config.url: the host part takes no variables']],
  [
    'a variable host behind white space',
    'webhook',
    { url: 'https://\n/{{contact.host}}' },
    ['config.url: the host part takes no variables'],
  ],
  ['a variable part of a host', 'webhook', { url: 'https://a.{{contact.host}}' }, ['config.url: the host part takes no variables']],
  ['a call that may take a minute', 'webhook', { url: 'https://a.example', timeoutSeconds: 60 }, ['config.timeoutSeconds: at most 30']],
  [
    'a header name with a colon',
    'webhook',
    { url: 'https://a.example', headers: { 'a:b': 'c' } },
    [expect.stringMatching(/^config\.headers\.a:b: /) as never],
  ],
  ['a mode that is none', 'subflow', { sequenceKey: 'other', mode: 'later' }, ['config.mode: one of enroll, wait']],
  ['a config that is a number', 'wait_until', 5, ['config: one of { event, timeoutMinutes }, { condition, timeoutMinutes } and { time }']],
  ['an exit with config', 'exit', { code: 1 }, ['an exit takes no config']],
];

test.each(CONFIGS)('%s is told with its node', (_, kind, config, messages) => {
  const graph = { nodes: [TRIGGER, { id: 'n', kind, config }], edges: [edge('trigger', 'n')] };
  expect(problemsOf(graph)).toEqual(messages.map((message) => at('n', message)));
});

test.each([5, 'text', [], true])('a branch whose config is %j is told, not stumbled over', (config) => {
  const body = { nodes: [TRIGGER, { id: 'b', kind: 'branch', config }, EXIT], edges: [edge('trigger', 'b'), edge('b', 'exit', 'x')] };
  expect(problemsOf(body)).toEqual([
    at('b', 'config: one of { branches } and { when }'),
    at('b', 'unknown branch key x; this node has default'),
  ]);
});
