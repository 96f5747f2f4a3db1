import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuBetween, startBenchStack } from './support/bench-stack.ts';
import { runLoad } from './support/load.ts';
import { progress, report } from './support/report.ts';

/**
 * POST /send against a local SMTP sink, everything on this machine: node bench/send.ts [--seconds 10] [--concurrency 1,10,50] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    concurrency: { type: 'string', default: '1,10,50' },
    profile: { type: 'string' },
  },
});
const WARM_UP_SECONDS = 3;
const DATA = {
  name: 'Zoë Müller',
  orderNumber: '1042',
  date: '2026-05-04',
  items: [
    { name: 'Espresso beans, 1 kg', quantity: 2, price: '€36.00' },
    { name: 'Paper filters, 100 pieces', quantity: 1, price: '€4.50' },
  ],
  subtotal: '€40.50',
  tax: '€2.84',
  total: '€43.34',
  paymentMethod: 'Visa ending in 4242',
  receiptUrl: 'https://shop.example/receipts/1042',
};

const stack = await startBenchStack({ template: 'receipt', profileDir: values.profile, progress });
try {
  const headers = { authorization: `Bearer ${stack.key}` };
  let count = 0;
  const send = (concurrency: number, seconds: number) =>
    runLoad({
      url: stack.apiUrl,
      concurrency,
      seconds,
      request: () => ({ path: '/api/v1/send', headers, body: { template: 'receipt', to: `person-${++count}@to.example`, data: DATA } }),
    });
  progress('warming up');
  await send(10, WARM_UP_SECONDS);
  const runs: object[] = [];
  let allAgree = true;
  for (const concurrency of values.concurrency.split(',').map(Number)) {
    // Requests that the load tool gave up at its end are still being answered.
    await sleep(500);
    await stack.sink.reset();
    progress(`concurrency ${concurrency}`);
    const before = await stack.cpu();
    const result = await send(concurrency, Number(values.seconds));
    const cpuSeconds = cpuBetween(before, await stack.cpu());
    await sleep(500);
    const { messages, duplicates, bytes, connections_opened } = await stack.sink.stats();
    const accepted = result.answers[200] ?? 0;
    // At most one mail for each connection has arrived without its answer being waited for.
    const agree =
      duplicates === 0 && messages >= accepted && messages <= accepted + concurrency && Object.keys(result.answers).length === 1;
    allAgree &&= agree;
    const bytesPerMail = Math.round(bytes / Math.max(messages, 1));
    runs.push({ concurrency, ...result, cpuSeconds, mailsAtSink: messages, duplicates, agree, bytesPerMail, connections_opened });
  }
  report('send', { goal: '1,000 a second at concurrency 50', runs });
  if (!allAgree) process.exitCode = 1;
} finally {
  await stack.stop();
}
