import { Alert, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fact, Facts } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { durationWords } from '../../show/duration-words.ts';
import { windowWords } from '../../show/send-window-words.ts';
import { hostOf } from '../../show/sender-host.ts';
import { exactTime } from '../../show/time.tsx';
import { domainsQuery, rampedDomainOf } from '../domains/domain-queries.ts';
import { fieldWords } from '../templates/data-fields.tsx';
import { templatesQuery } from '../templates/template-queries.ts';
import { useAudienceWords } from './audience-name.tsx';
import { type CampaignDraft, mailSubjects, scheduleOf } from './campaign-draft.ts';
import { type CampaignPreviews, useCampaignPreviews } from './campaign-previews.ts';
import { type CampaignChange, renderedWords } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import { launchWarnings } from './launch-warnings.ts';
import { localScheduleWords } from './local-start.ts';
import { testWords } from './test-draft.ts';
import type { Writing } from './writing.ts';

/** More are hardly read; all of them stand on the page. */
const MOST_WARNINGS = 3;
const MOST_NAMED = 3;

interface Given {
  readonly writing: Writing;
  /** undefined while they are counted. */
  readonly recipients: number | undefined;
}

/** What is about to be sent, to whom and what for, for one look. */
export function LaunchRecap({ writing, recipients }: Given): ReactNode {
  const { draft, shown, change, fields, data } = writing;
  const wordsOf = useAudienceWords();
  const schedule = scheduleOf(draft);
  const { project } = useSession();
  const window = draft.sendWindow === 'none' ? null : (draft.sendWindow ?? project.send_window);
  // Addresses that are not known here are those that it was kept with.
  const audience = change.audience ?? shown.kept?.campaign.audience;
  const empty = fields.filter(({ path, used = true }) => used && !draft.data[path]);
  const brand = draft.brand ?? undefined;
  const template = useQuery(templatesQuery(brand)).data?.find(({ key }) => key === draft.template);
  const mails = useCampaignPreviews({ template: draft.template, brand, data, subjects: mailSubjects(draft) });
  const limit = useLimitToday(template?.from?.email, brand, recipients);
  const warnings = launchWarnings(draft, { isOff: template?.enabled === false, previews: mails.previews, recipients });
  return (
    <div className={classes.recap}>
      {warnings.length > 0 ? <LaunchWarnings warnings={warnings} /> : null}
      <Facts>
        <Fact name="Email">{template?.name || change.template}</Fact>
        <Fact name={draft.variants.length > 0 ? 'Subjects' : 'Subject'}>{subjectWords(draft, mails, template?.subject)}</Fact>
        <Fact name="For">{audience ? wordsOf(audience) : null}</Fact>
        {change.test ? <Fact name="A/B test">{testWords(change.test)}</Fact> : null}
        {change.goal ? <Fact name="Goal">{goalWords(change.goal)}</Fact> : null}
        {empty.length > 0 ? <Fact name="Left empty">{emptyWords(empty)}</Fact> : null}
        {change.ratePerSecond ? <Fact name="Throttle">{change.ratePerSecond.toLocaleString('en')} per second</Fact> : null}
        {schedule ? <Fact name="Scheduled">{localScheduleWords(schedule)}</Fact> : null}
        {window ? <Fact name="Send window">{windowWords(window)}</Fact> : null}
        {limit && !change.scheduleAt && !schedule ? <Fact name="Today">{limit}</Fact> : null}
        {change.endsAt ? <Fact name="End date">{exactTime(change.endsAt)}</Fact> : null}
      </Facts>
    </div>
  );
}

/** How many of them the ramp of the sender's domain lets go today, where that is not all; `ofTemplate`: its own sender. */
function useLimitToday(ofTemplate: string | undefined, slug: string | undefined, recipients = 0): string | undefined {
  const { brands } = useSession();
  const { data: domains = [] } = useQuery(domainsQuery());
  const brand = brands.find((one) => (slug === undefined ? one.is_default : one.slug === slug));
  const { domain, ramp } = rampedDomainOf(hostOf(ofTemplate ?? brand?.from_email ?? ''), domains) ?? {};
  if (!ramp || ramp.allowance === null) return undefined;
  const left = Math.max(0, ramp.allowance - ramp.used);
  if (recipients <= left) return undefined;
  return `${left === 0 ? 'None' : `At most ${left.toLocaleString('en')}`} by the daily ramp of ${domain}, the rest from ${exactTime(ramp.resets_at)} on`;
}

/** Names of fields may have commas. */
function emptyWords(fields: Writing['fields']): string {
  const more = fields.length - MOST_NAMED;
  const named = fields.slice(0, MOST_NAMED).map(({ path }) => fieldWords(path));
  return named.join('; ') + (more > 0 ? ` and ${more} more` : '');
}

function LaunchWarnings({ warnings }: { readonly warnings: readonly string[] }): ReactNode {
  const more = warnings.length - MOST_WARNINGS;
  return (
    <Alert color="orange" title={warnings.length === 1 ? 'Warning' : 'Warnings'} role="status" mb="sm">
      <List size="sm">
        {warnings.slice(0, MOST_WARNINGS).map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
        {more > 0 ? <List.Item>{more} more, beside the preview</List.Item> : null}
      </List>
    </Alert>
  );
}

/** The subjects as they render; `ofTemplate`: the template's own. */
function subjectWords(draft: CampaignDraft, { previews, subjects }: CampaignPreviews, ofTemplate: string | undefined): string {
  const words = subjects.map(({ subject }, place) => {
    const preview = previews[place];
    const rendered = preview?.isPlaceholderData ? undefined : preview?.data?.subject;
    if (rendered === undefined) return subject || "the template's subject";
    return renderedWords(rendered, subject || (ofTemplate ?? ''));
  });
  return words.map((one, place) => (draft.variants[place] ? `${draft.variants[place].key}: ${one}` : one)).join('; ');
}

function goalWords({ event, withinHours, sum }: NonNullable<CampaignChange['goal']>): string {
  return `${event} within ${durationWords(withinHours * 60)}${sum ? `, sum of ${sum}` : ''}`;
}
