import { type Call, type CampaignSeen, groupBy, IN_FLIGHT_MS, type Observed, type Promised, subjects } from '../observed.ts';

const idIn = (path: string): string => path.split('/')[2]!;

function of(observed: Observed, kind: Call['kind'], campaign: CampaignSeen): readonly Call[] {
  return observed.calls.filter((call) => call.kind === kind && call.status === 200 && idIn(call.path) === campaign.id);
}

const ENDS = ['sent', 'cancelled', 'failed'];

/** docs/contract/campaigns.md 9 to 15, 20 to 22. */
export const CAMPAIGN_PROMISES: readonly Promised[] = [
  {
    promise: 'a campaign that was accepted is there, once',
    source: 'docs/contract/idempotency.md 3, docs/contract/campaigns.md 1',
    find: ({ calls, campaigns }) =>
      [
        ...groupBy(
          calls.filter(({ kind }) => kind === 'campaign'),
          ({ body }) => body.name as string,
        ),
      ].flatMap(([name, same]) => {
        const found = campaigns.filter((campaign) => campaign.name === name).map(({ id }) => id);
        const told = new Set(same.filter(({ status }) => status === 201).map(({ answer }) => answer.campaignId as string));
        const isRight = found.length <= 1 && [...told].every((id) => found.includes(id));
        return isRight
          ? []
          : [{ about: [name, ...told], message: `answered ${told.size} ids; there are ${found.join(' and ') || 'none'}` }];
      }),
  },
  {
    promise: 'every campaign comes to its end',
    source: 'docs/contract/campaigns.md 9, 10',
    find: ({ campaigns }) =>
      campaigns.filter(({ status }) => !ENDS.includes(status)).map(({ id, status }) => ({ about: [id], message: `it is ${status}` })),
  },
  {
    promise: 'at its end every recipient of a campaign is settled',
    source: 'docs/contract/campaigns.md 10',
    find: ({ campaigns, sends }) =>
      campaigns
        .filter(({ status }) => ENDS.includes(status))
        .flatMap((campaign) => {
          const { id, total_recipients: total, sent_count, failed_count, skipped_count, cancelled_count } = campaign;
          const rows = sends.filter(({ source_type, source_id }) => source_type === 'campaign' && source_id === id);
          const sent = rows.filter(({ status }) => status === 'sent').length;
          const problems = [
            ...(total === sent_count + failed_count + skipped_count + cancelled_count ? [] : ['its counts do not add up']),
            ...(sent === sent_count && rows.length - sent === failed_count
              ? []
              : [`it has ${sent} rows sent and ${rows.length - sent} failed`]),
            ...(campaign.status === 'failed' && sent_count + failed_count > 0 ? ['it failed and has sent'] : []),
          ];
          const counts = { total, sent_count, failed_count, skipped_count, cancelled_count };
          return problems.length === 0
            ? []
            : [{ about: [id], message: `${campaign.status}: ${problems.join('; ')}: ${JSON.stringify(counts)}` }];
        }),
  },
  {
    promise: 'a campaign has one row and one mail for a contact, and none for others',
    source: 'docs/contract/campaigns.md 14',
    find: ({ calls, campaigns, sends, mails }) =>
      campaigns.flatMap(({ id, name }) => {
        const rows = sends.filter(({ source_type, source_id }) => source_type === 'campaign' && source_id === id);
        const arrived = mails.filter(({ subject }) => subject === subjects.campaign(name)).map(({ to }) => to);
        const asked = new Set(calls.find((call) => call.kind === 'campaign' && call.body.name === name)?.body.audience.emails as string[]);
        const twice = [...repeated(rows.map(({ to_email }) => to_email)), ...repeated(arrived)];
        const strangers = arrived.filter((to) => !asked.has(to));
        return [...new Set([...twice, ...strangers])].map((to) => ({
          about: [id, to],
          message: asked.has(to) ? 'twice' : 'not of its audience',
        }));
      }),
  },
  {
    promise: 'after a campaign was cancelled nobody gets it, and the number that was answered never do',
    source: 'docs/contract/campaigns.md 21',
    find: (observed) =>
      observed.campaigns.flatMap((campaign) => {
        const cancels = of(observed, 'cancel campaign', campaign);
        if (cancels.length === 0) return [];
        const first = Math.min(...cancels.map(({ answeredAt }) => answeredAt));
        const late = observed.mails.filter((mail) => mail.subject === subjects.campaign(campaign.name) && mail.receivedAt > first);
        const told = Math.max(...cancels.map(({ answer }) => answer.cancelledJobs as number));
        return [
          ...late.map(({ to, receivedAt, messageId }) => ({
            about: [campaign.id, to, messageId],
            message: `it arrived ${receivedAt - first} ms after the answer`,
          })),
          ...(campaign.status === 'cancelled' ? [] : [{ about: [campaign.id], message: `it was cancelled and is ${campaign.status}` }]),
          // A repeated call is told 0, and its first answer may have been lost.
          ...(told === 0 || told === campaign.cancelled_count
            ? []
            : [{ about: [campaign.id], message: `${told} were said to be cancelled, ${campaign.cancelled_count} are` }]),
        ];
      }),
  },
  {
    promise: 'a paused campaign sends nothing until it is resumed',
    source: 'docs/contract/campaigns.md 22, docs/contract/sends.md 13',
    find: (observed) =>
      observed.campaigns.flatMap((campaign) => {
        const mails = observed.mails.filter(({ subject }) => subject === subjects.campaign(campaign.name));
        const resumes = observed.calls.filter(({ kind, path }) => kind === 'resume campaign' && idIn(path) === campaign.id);
        return of(observed, 'pause campaign', campaign).flatMap(({ answeredAt }) => {
          const until = Math.min(...resumes.map(({ sentAt }) => sentAt).filter((sentAt) => sentAt > answeredAt));
          return mails
            .filter(({ receivedAt }) => receivedAt > answeredAt + IN_FLIGHT_MS && receivedAt < until)
            .map(({ to, receivedAt }) => ({
              about: [campaign.id, to],
              message: `a mail arrived ${receivedAt - answeredAt} ms after the pause`,
            }));
        });
      }),
  },
];

function repeated(items: readonly string[]): string[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}
