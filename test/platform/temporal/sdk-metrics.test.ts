import { expect, test } from 'vitest';
import { sdkMetrics } from '../../../platform/temporal/sdk-metrics.ts';
import { readPage } from '../../support/metrics-page.ts';

test('while the SDK does not answer, the page says so and comes all the same', async () => {
  const page = readPage(await (await sdkMetrics()).text());
  expect(page.samples).toEqual([{ name: 'everpost_temporal_metrics_up', labels: {}, value: 0 }]);
});
