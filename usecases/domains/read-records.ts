import type { Dns } from '../../platform/dns/dns.ts';
import type { Outage } from '../../platform/dns/message.ts';
import type { ReadRecords } from './check-domain.ts';

/** For people. */
const WHY: Readonly<Record<Outage, string>> = {
  timeout: 'the name servers did not answer in time',
  unreachable: 'no name server could be reached',
  servfail: 'the name servers of the domain failed (SERVFAIL)',
  refused: 'the name servers refused to answer (REFUSED)',
  failed: 'the name servers answered with an error',
  not_recursive: 'the name servers that were asked do not ask further; DNS_SERVERS should name some that do',
  garbled: 'the answer of the name servers cannot be read',
  oversized: 'the answer of the name servers is too large',
};

/** Asks DNS. A name whose aliases never end has nothing. */
export function createReadRecords(dns: Dns): ReadRecords {
  return async (name, type) => {
    const answer = await dns.records(name, type);
    if (answer.status === 'unavailable') return { unavailable: WHY[answer.why] };
    return { values: answer.status === 'found' ? answer.values : [] };
  };
}
