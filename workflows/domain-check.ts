import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { DomainActivities } from '../activities/domain-check.ts';
import { shownInstant } from '../domain/shown-text.ts';
import { queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { DomainCheckInput, DomainCheckReport } from './contracts.ts';
import { showState } from './show-state.ts';

/** Looks up the DNS records of a sending domain, minutes after it was added and daily once they stand, until it is deleted. */
export async function domainCheck(input: DomainCheckInput): Promise<string> {
  const changes = new Changes({
    changed: 'Sent by Everpost: the domain was deleted, or somebody had its records looked up',
    retryNow: 'DNS is asked at once',
  });
  const { checkDomainRecords } = queuedActivities<DomainActivities>(input, {
    summary: 'the records of the domain',
    startToCloseTimeout: '2m',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });
  for (;;) {
    const seen = changes.count;
    const report = await checkDomainRecords({ domainId: input.domainId });
    if (report === 'gone') return 'the domain was deleted';
    const words = `${wordsOf(report)}, the next look at ${shownInstant(Date.now() + report.nextInMs)}`;
    setCurrentDetails(words);
    showState(report.standing === 'failing' ? 'retrying' : 'waiting');
    await changes.beyond(seen, report.nextInMs, words);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof domainCheck>(input);
  }
}

function wordsOf({ standing, lacking, unavailable }: Exclude<DomainCheckReport, 'gone'>): string {
  const lacks = lacking.length > 0 ? `, lacks ${lacking.join(' and ')}` : '';
  return `${standing}${lacks}${unavailable.length > 0 ? `, no answer of DNS about ${unavailable.join(' and ')}` : ''}`;
}
