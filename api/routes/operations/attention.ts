import * as z from 'zod';
import { keysAwaited } from '../../../db/queries/domains/dkim-keys.ts';
import { failingDomains, verifiedDomains } from '../../../db/queries/domains/sending-domains.ts';
import { COUNTED_TO, failingEndpoints, type HeldRuns, heldRuns } from '../../../db/queries/operations/attention.ts';
import { failingSequences, failingTemplates } from '../../../db/queries/operations/failures.ts';
import { listBrands } from '../../../db/queries/projects/brands.ts';
import { usedAllowances } from '../../../db/queries/sends/allowance-days.ts';
import { overdueScheduled } from '../../../db/queries/sends/overdue-scheduled.ts';
import { openProviders } from '../../../db/queries/sends/provider-states.ts';
import { countReputation, REPUTATION_BY } from '../../../db/queries/sends/reputation.ts';
import { purposeOf } from '../../../domain/domains/finding.ts';
import { GRACE_MS } from '../../../domain/domains/standing.ts';
import { areReadsNamed, grants, type Scope } from '../../../domain/projects/scopes.ts';
import { dayOf } from '../../../domain/sends/allowance.ts';
import { ALERT_HOURS, reputationFault } from '../../../domain/sends/reputation.ts';
import { isOnDomain, NO_TEMPLATE } from '../../../domain/sends/send.ts';
import { CAP_PATIENCE_MS } from '../../../domain/sends/submission-times.ts';
import { MOST_STEPS_A_MINUTE } from '../../../domain/sequences/pace.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import * as examples from '../../examples/operations-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { campaigns, recurring } from './attention-campaigns.ts';
import { Item } from './attention-item.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Domains and receivers of a project, those with the most emails. */
const MOST_LOOKED_AT = 50;

const read = defineRoute({
  method: 'get',
  path: '/attention',
  scope: 'any key',
  summary: 'List what in the project needs a look',
  description:
    'Mail providers that fail or whose daily allowance is used, senders that cannot send, sending domains whose DNS records have gone, or whose new DKIM keys wait for theirs, sending domains and receivers of whose emails of the last 7 days too many bounced or complained (GET /stats), endpoints that refuse deliveries (those of the last day), campaigns and runs that are held, those that wait for an approval among them, campaigns scheduled for a segment that was deleted, recurring campaigns that are held or whose last campaign was not made, scheduled emails that are more than ten minutes late, sequences of which runs failed or had emails that could not be rendered, and templates with such emails (both of the last day; of the emails of tests and of what was sent again nothing is told). Empty when all is well. ' +
    'A key that has reading scopes is told of what these let it read; what failed is told only to keys that read sequences, or the send log.',
  status: 200,
  reply: z.object({ items: z.array(Item).meta({ description: 'What keeps email from leaving first' }) }),
  examples: examples.attention,
  async handle(context) {
    const { scopes } = context;
    const isRead = ({ of, isForAnyKey }: Part): boolean => of === null || (isForAnyKey && !areReadsNamed(scopes)) || grants(scopes, of);
    const items = await Promise.all(PARTS.filter(isRead).map(({ itemsOf }) => itemsOf(context)));
    return { items: items.flat() };
  },
});

interface Part {
  /** The scope that reads what it tells of. */
  readonly of: Scope | null;
  /** Only a key whose reads are named needs the scope: docs/contract/http.md 29. */
  readonly isForAnyKey: boolean;
  readonly itemsOf: (context: KeyContext) => Promise<Item[]>;
}

/** What keeps mail from leaving first. */
const PARTS: readonly Part[] = [
  { of: null, isForAnyKey: true, itemsOf: providers },
  { of: null, isForAnyKey: true, itemsOf: senders },
  { of: null, isForAnyKey: true, itemsOf: domains },
  { of: 'campaigns:read', isForAnyKey: true, itemsOf: campaigns },
  { of: 'campaigns:read', isForAnyKey: true, itemsOf: recurring },
  { of: null, isForAnyKey: true, itemsOf: scheduled },
  { of: 'sequences:read', isForAnyKey: true, itemsOf: runs },
  { of: 'sequences:read', isForAnyKey: false, itemsOf: sequences },
  { of: 'sends:read', isForAnyKey: false, itemsOf: templates },
  { of: 'sends:read', isForAnyKey: false, itemsOf: reputations },
  { of: 'webhooks:read', isForAnyKey: true, itemsOf: endpoints },
];

async function providers({ em, now }: KeyContext): Promise<Item[]> {
  const [open, used] = await Promise.all([openProviders(em), usedAllowances(em, dayOf(now()))]);
  return [
    ...open.map(({ provider, since, reason }) => ({
      ...{ kind: 'provider_passed_over' as const, about: provider, count: null, since, reason },
      message: `most of what the mail provider ${provider} was given failed, so others are asked first: ${reason}; it is tried again by itself`,
    })),
    ...used.map(({ provider, since }) => ({
      ...{ kind: 'provider_allowance_used' as const, about: provider, count: null, since },
      message: `today's allowance of the mail provider ${provider} is used: what no other provider takes waits until 00:00 UTC, and POST /send is refused; an operator may raise its \`daily\``,
    })),
  ];
}

async function senders({ em, project }: KeyContext): Promise<Item[]> {
  const owner: Item = {
    ...{ kind: 'owner_unverified', about: null, count: null },
    message: "the owner's address is not verified, so nothing can be sent; an operator verifies it with `project verify-owner`",
  };
  const [verified, all] = await Promise.all([verifiedDomains(em, project.id), listBrands(em, project.id)]);
  const brands = all.flatMap(({ slug, from_email }): Item[] => {
    if (from_email === null)
      return [
        { kind: 'brand_without_sender', about: slug, count: null, message: `the brand ${slug} has no sender; an operator gives it one` },
      ];
    if (isOnDomain(from_email, verified)) return [];
    const message = `${from_email}, the sender of the brand ${slug}, is on no verified domain; add it with \`POST /domains\` and set its DNS records, or have an operator verify it with \`domain verify\``;
    return [{ kind: 'domain_unverified', about: slug, count: null, message }];
  });
  return [...(project.owner_email_verified ? [] : [owner]), ...brands];
}

/** What verifies a domain, as people call it: docs/contract/identity.md 33. */
const VERIFYING = [
  { purpose: 'ownership', name: 'ownership' },
  { purpose: 'dkim', name: 'DKIM' },
] as const;

async function domains(context: KeyContext): Promise<Item[]> {
  return (await Promise.all([brokenDomains(context), awaitedKeys(context)])).flat();
}

async function awaitedKeys({ em, project }: KeyContext): Promise<Item[]> {
  return (await keysAwaited(em, project.id)).map(({ domain_id, domain, selector, created_at }) => ({
    ...{ kind: 'domain_key_awaited', about: domain_id, count: null, since: created_at },
    message: `a new DKIM key of ${domain} waits for its record at ${selector}._domainkey.${domain}; set it as GET /domains/${domain_id} shows it, and mail is signed by that key`,
  }));
}

async function brokenDomains({ em, project }: KeyContext): Promise<Item[]> {
  return (await failingDomains(em, project.id)).map(({ id, domain, vouched, failing_since, findings }) => {
    // Of several keys one that is found will do.
    const lacks = VERIFYING.filter(({ purpose }) => {
      const states = Object.entries(findings).flatMap(([key, { state }]) => (purposeOf(key) === purpose ? [state] : []));
      return !states.includes('found') && (states.includes('missing') || states.includes('wrong'));
    });
    const until = vouched ? '' : `; email from it is refused once that has lasted ${shownPeriod(GRACE_MS)}`;
    const message = `DNS records that verify ${domain} are missing or wrong (${lacks.map(({ name }) => name).join(', ')})${until}`;
    return { kind: 'domain_failing', about: id, count: null, message, ...(failing_since ? { since: failing_since } : {}) };
  });
}

/** A project that may not send holds its own, whose reason comes first. */
async function scheduled({ em, project }: KeyContext): Promise<Item[]> {
  const { count, oldestMs } = await overdueScheduled(em, project.id, COUNTED_TO);
  if (oldestMs === null) return [];
  const late = `${atMost(count)} scheduled ${count === 1 ? 'mail is' : 'mails are'} overdue, the first by ${Math.floor(oldestMs / 60_000)} minutes`;
  const why = project.owner_email_verified
    ? 'the mail provider puts them off, or no worker sends them; they go by themselves when it takes them'
    : "the owner's address is not verified";
  return [{ kind: 'scheduled_overdue', about: null, count, message: `${late}: ${why}` }];
}

async function runs({ em, project }: KeyContext): Promise<Item[]> {
  return (await heldRuns(em, project.id)).map(({ reason, count, sequences }) => ({
    ...{ kind: 'runs_held' as const, about: reason, count, sequences: [...sequences] },
    message: `${atMost(count)} ${count === 1 ? `run waits: ${REASONS[reason].one}` : `runs wait: ${REASONS[reason].many}`}`,
  }));
}

const CAP_SKIPS = `an email that has waited for ${CAP_PATIENCE_MS / HOUR_MS} hours is skipped`;

/** What `held:<reason>` of a run means: docs/contract/sequences.md 12, docs/contract/events.md 17, 27. */
const REASONS: Readonly<Record<HeldRuns['reason'], { readonly one: string; readonly many: string }>> = {
  paused: { one: 'its sequence is paused; activate it to go on', many: 'their sequences are paused; activate those to go on' },
  project_suspended: alike('the project is suspended'),
  email_unverified: alike("the owner's address is not verified"),
  frequency_cap: {
    one: `its contact has had as many emails as the cap allows; it goes on by itself, and ${CAP_SKIPS}`,
    many: `their contacts have had as many emails as the cap allows; they go on by themselves, and ${CAP_SKIPS}`,
  },
  provider_unavailable: {
    one: 'the mail provider is away; it goes on by itself',
    many: 'the mail provider is away; they go on by themselves',
  },
  too_many_steps: {
    one: `it goes round in a loop and took more than ${MOST_STEPS_A_MINUTE} steps within a minute, so it makes one pass a minute; give the loop a longer wait and cancel it`,
    many: `they go round in a loop and took more than ${MOST_STEPS_A_MINUTE} steps within a minute, so each makes one pass a minute; give the loop a longer wait and cancel them`,
  },
};

/** Said of one as of many. */
function alike(words: string): { readonly one: string; readonly many: string } {
  return { one: words, many: words };
}

async function sequences({ em, project, now }: KeyContext): Promise<Item[]> {
  const since = aDayBefore(now());
  return (await failingSequences(em, project.id, since)).map(({ key, name, count, reason }) => ({
    ...{ kind: 'sequence_failing' as const, about: key, count, since, reason },
    message: `${atMost(count)} ${count === 1 ? 'run' : 'runs'} of the sequence ${name} failed in the last 24 hours or had an email that could not be rendered, most often: ${reason}`,
  }));
}

async function templates({ em, project, now }: KeyContext): Promise<Item[]> {
  const since = aDayBefore(now());
  return (await failingTemplates(em, project.id, since)).map(({ template, count, reason }) => {
    const by = template === NO_TEMPLATE ? 'whose call brought their content' : `by the template ${template}`;
    return {
      ...{ kind: 'rendering_failed' as const, about: template === NO_TEMPLATE ? null : template, count, since, reason },
      message: `${atMost(count)} ${count === 1 ? 'mail' : 'mails'} ${by} could not be rendered in the last 24 hours, most often: ${reason}`,
    };
  });
}

/** Each `by` is looked at by itself: a domain may do well as a whole and badly with one receiver. */
async function reputations({ em, project, now }: KeyContext): Promise<Item[]> {
  const end = new Date(Math.floor(now().getTime() / HOUR_MS + 1) * HOUR_MS);
  const since = new Date(end.getTime() - ALERT_HOURS * HOUR_MS);
  const found = await Promise.all(
    REPUTATION_BY.map(async (by) => {
      const groups = await countReputation(em, project.id, { by, begins: [since], end, most: MOST_LOOKED_AT });
      return groups.flatMap(({ group, ...counts }): Item[] => {
        const fault = group === null ? undefined : reputationFault(counts);
        if (!fault) return [];
        const mails = by === 'domain' ? `emails from ${group}` : `emails to ${group}`;
        return [
          {
            kind: `reputation_${by}`,
            about: group,
            count: null,
            since,
            message: `${fault.words(mails)} in the last ${ALERT_HOURS / 24} days`,
          },
        ];
      });
    }),
  );
  return found.flat();
}

async function endpoints({ em, project, now }: KeyContext): Promise<Item[]> {
  const failing = await failingEndpoints(em, project.id, aDayBefore(now()));
  return failing.map(({ id, url, retrying, failed }) => ({
    ...{ kind: 'webhook_failing' as const, about: id, count: Math.min(COUNTED_TO, retrying + failed) },
    message: notTaken(url, retrying, failed),
  }));
}

function aDayBefore(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

/** Whether the endpoint takes others is not said: it may be one delivery that it refuses. */
function notTaken(url: string, retrying: number, failed: number): string {
  const deliveries = (count: number): string => `${atMost(count)} ${count === 1 ? 'delivery' : 'deliveries'} to ${url}`;
  if (retrying === 0) return `${deliveries(failed)} given up in the last 24 hours`;
  return `${url} does not take deliveries: ${atMost(retrying)} ${retrying === 1 ? 'waits' : 'wait'} for the next attempt${failed > 0 ? `, ${atMost(failed)} given up in the last 24 hours` : ''}`;
}

function atMost(count: number): string {
  return count >= COUNTED_TO ? `${COUNTED_TO.toLocaleString('en')} or more` : `${count}`;
}

export const routes: readonly Route[] = [read];
