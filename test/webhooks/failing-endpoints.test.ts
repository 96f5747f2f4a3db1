import { expect, test } from 'vitest';
import { createLogger, type LogFields, type Logger } from '../../platform/logger.ts';
import { createFailingEndpoints } from '../../webhooks/failing-endpoints.ts';

const ENDPOINT = { endpointId: 'e1', projectId: 'p1', url: 'https://user:word@hooks.example:8443/in/secret-path?token=secret' };

/** The lines about attempts that came to these answers, each so many seconds after the start. */
function linesOf(attempts: readonly (readonly [seconds: number, answered: number | string, endpointId?: string])[]): unknown[] {
  const lines: unknown[] = [];
  const write = (event: string, fields?: LogFields): void => void lines.push([event, fields]);
  const log: Logger = { ...createLogger('silent'), info: write, warn: write };
  let at = 0;
  const note = createFailingEndpoints(log, () => new Date(at));
  for (const [seconds, answered, endpointId = 'e1'] of attempts) {
    at = seconds * 1000;
    note({ ...ENDPOINT, endpointId, answered, isTaken: answered === 200 });
  }
  return lines;
}

const each = (from: number, to: number, answered: number | string): [number, number | string][] =>
  Array.from({ length: to - from }, (_, i) => [from + i, answered]);

const ABOUT = { endpointId: 'e1', projectId: 'p1', host: 'hooks.example:8443' };

test('an endpoint that fails is one line with its host and answer, and one line when it has recovered, however many deliveries there are', () => {
  expect(linesOf([...each(0, 10, 200), ...each(10, 210, 503), ...each(210, 400, 200)])).toEqual([
    ['webhooks.endpoint_failing', { ...ABOUT, answered: 503 }],
    ['webhooks.endpoint_recovered', { ...ABOUT, seconds: 259, refused: 200 }],
  ]);
});

test('one delivery that is refused again and again is told, and an endpoint that refuses one in three is not', () => {
  expect(
    linesOf([
      [0, 'timeout'],
      [120, 'timeout'],
      [360, 'timeout'],
      [840, 200],
    ]),
  ).toEqual([
    ['webhooks.endpoint_failing', { ...ABOUT, answered: 'timeout' }],
    ['webhooks.endpoint_recovered', { ...ABOUT, seconds: 840, refused: 3 }],
  ]);
  expect(linesOf(Array.from({ length: 90 }, (_, i) => [i, i % 3 === 0 ? 500 : 200]))).toEqual([]);
});

test('an endpoint that takes a delivery now and then has not recovered', () => {
  const attempts = Array.from({ length: 600 }, (_, i): [number, number] => [i, i % 30 === 29 ? 200 : 500]);
  expect(linesOf(attempts)).toEqual([['webhooks.endpoint_failing', { ...ABOUT, answered: 500 }]]);
});

test('each endpoint is told by itself', () => {
  const both = each(0, 5, 404).flatMap(([at, answered]) => [[at, answered] as const, [at, 200, 'e2'] as const, [at, 'dns', 'e3'] as const]);
  expect(linesOf(both)).toMatchObject([
    ['webhooks.endpoint_failing', { endpointId: 'e1', answered: 404 }],
    ['webhooks.endpoint_failing', { endpointId: 'e3', answered: 'dns' }],
  ]);
});
