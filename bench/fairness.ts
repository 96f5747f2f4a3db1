import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { type BenchProject, startBenchStack } from './support/bench-stack.ts';
import { campaignEnds, importedAudience, sentOf, startCampaign } from './support/campaigns.ts';
import { LETTER } from './support/letter.ts';
import { addRecipients } from './support/recipients.ts';
import { percentile, progress, report } from './support/report.ts';
import { addSequence, figures, singleMails } from './support/single-mails.ts';

/**
 * What a large campaign costs other projects: their single mails and the mails of their sequences while it runs, and a small campaign beside
 * it: node bench/fairness.ts [--recipients 50000] [--small 5000] [--rounds 3]
 */
const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '50000' },
    small: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
  },
});
const RECIPIENTS = Number(values.recipients);
const SMALL = Number(values.small);
const GOAL = { p99Ms: 300 };

const stack = await startBenchStack({ template: LETTER, workflows: true, progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  const other = await stack.addProject('other');
  await addRecipients(stack.databaseUrl, stack.projectId, RECIPIENTS);
  await addRecipients(stack.databaseUrl, other.projectId, SMALL);
  await addSequence(other);
  progress('warming up');
  await campaignEnds(stack, (await startCampaign(stack, { mode: 'people', emails: emails('warm', 1_000) })).campaignId);
  const alone = await singleMails(database, other, 'alone', sleep(10_000));
  const beside = { sends: [] as number[], sequences: [] as number[] };
  for (let round = 1; round <= Number(values.rounds); round++) {
    progress(`single mails beside a campaign to ${RECIPIENTS}, round ${round}`);
    const ending = startCampaign(stack, await importedAudience(stack)).then(({ campaignId }) => campaignEnds(stack, campaignId));
    const { sends, sequences } = await singleMails(database, other, `round${round}`, ending);
    beside.sends.push(...sends);
    beside.sequences.push(...sequences);
  }
  progress(`a campaign to ${SMALL} beside one to ${RECIPIENTS}`);
  const twoCampaigns = await smallBesideLarge(other);
  const p99 = Math.max(percentile(beside.sends, 0.99), percentile(beside.sequences, 0.99));
  report('fairness', {
    goal: `single mails of another project: p99 under ${GOAL.p99Ms} ms at 5 a second; two campaigns share evenly`,
    recipients: RECIPIENTS,
    alone: figures(alone),
    besideCampaign: { ...figures(beside), met: p99 < GOAL.p99Ms },
    twoCampaigns,
  });
} finally {
  await database.end();
  await stack.stop();
}

/** How much of the large one went out while both ran, and whether the small one ended first. */
async function smallBesideLarge(other: BenchProject): Promise<object> {
  const { campaignId: large } = await startCampaign(stack, await importedAudience(stack));
  while ((await sentOf(stack, large)) < RECIPIENTS / 10) await sleep(20);
  const before = await sentOf(stack, large);
  const begun = performance.now();
  const { campaignId: small } = await startCampaign(other, await importedAudience(other));
  while ((await sentOf(other, small)) < SMALL) await sleep(20);
  const seconds = (performance.now() - begun) / 1000;
  const largeMeanwhile = (await sentOf(stack, large)) - before;
  await campaignEnds(stack, large);
  return {
    small: SMALL,
    secondsOfSmall: Number(seconds.toFixed(2)),
    smallPerSecond: Math.round(SMALL / seconds),
    largePerSecond: Math.round(largeMeanwhile / seconds),
    largeByRecipientsOfSmall: Number((largeMeanwhile / SMALL).toFixed(2)),
    smallEndedFirst: before + largeMeanwhile < RECIPIENTS,
  };
}

function emails(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name}-${n}@to.example`);
}
