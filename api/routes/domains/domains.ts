import * as z from 'zod';
import type { SendingDomainRow } from '../../../db/entities/index.ts';
import { dkimKeysOf } from '../../../db/queries/domains/dkim-keys.ts';
import { findSendingDomain, listSendingDomains } from '../../../db/queries/domains/sending-domains.ts';
import { asciiDomain } from '../../../domain/contacts/domain-name.ts';
import { MOST_DOMAINS } from '../../../domain/domains/domain.ts';
import { DKIM_ALGORITHMS, OVERLAP_MS, RECORD_ACTIONS } from '../../../domain/domains/key-turns.ts';
import { RECORD_PURPOSES } from '../../../domain/domains/records.ts';
import { GRACE_MS, nextCheckMs, STANDINGS } from '../../../domain/domains/standing.ts';
import { notFound } from '../../../domain/errors.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { addDomain } from '../../../usecases/domains/add-domain.ts';
import { checkDomain, recordsOf } from '../../../usecases/domains/check-domain.ts';
import { deleteDomain } from '../../../usecases/domains/delete-domain.ts';
import { giveKeys, rotateKeys } from '../../../usecases/domains/give-keys.ts';
import * as examples from '../../examples/domain-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { PathId, Timestamp } from '../../schemas.ts';

const MAX_DOMAIN_LENGTH = 253;

const SendingDomainRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    domain: z.string().meta({ description: 'In ASCII. Senders may be on it and on its subdomains once it is verified' }),
    verified: z.boolean().meta({ description: 'Whether mail may be from it: it proves itself by DNS, or an operator vouches for it' }),
    vouched: z.boolean().meta({ description: 'Whether an operator vouches for it (`domain verify`): it stays verified whatever DNS says' }),
    standing: z.enum(STANDINGS).meta({
      description:
        'By DNS alone. pending: a required record is missing; verified: all are found; failing: one has gone since, and the domain stays verified ' +
        `for ${shownPeriod(GRACE_MS)}`,
    }),
    failing_since: Timestamp.nullable().meta({ description: 'When a check missed a record first; null unless it is failing' }),
    checked_at: Timestamp.nullable().meta({ description: 'When DNS was asked last; null: never' }),
    ed25519: z.boolean().meta({ description: 'Whether its mail is to be signed by Ed25519 as well' }),
    created_at: Timestamp.meta({ description: 'When it was added' }),
  })
  .meta({ id: 'SendingDomain', description: 'A domain that email is sent from' });

const DomainRecord = z
  .object({
    purpose: z.enum(RECORD_PURPOSES).meta({
      description:
        'ownership: the domain is yours; dkim: a key for its mail; spf: who may send for it; dmarc: what receivers do with fakes; ' +
        'tracking: a host of the domain for the links in its mail',
    }),
    type: z.enum(['TXT', 'CNAME']).meta({ description: 'The type of the record' }),
    name: z.string().meta({ description: 'The whole name; many hosts of DNS want it without the domain at the end' }),
    value: z.string().meta({ description: 'What to set, in one piece: a host of DNS splits it after 255 characters by itself' }),
    required: z.boolean().meta({ description: 'Whether the domain is verified only with it' }),
    action: z.enum(RECORD_ACTIONS).meta({
      description:
        'set: it is to stand there; keep: its key signs no more, but mail is under way that it has signed, so leave it until `keep_until`; ' +
        'remove: nobody needs it any more, and it can be taken away',
    }),
    keep_until: Timestamp.nullable().meta({ description: 'Until when a record with `action` keep is to stand; null of others' }),
    algorithm: z.enum(DKIM_ALGORITHMS).nullable().meta({ description: 'Of the key of a `dkim` record; null of others' }),
    signs: z.boolean().nullable().meta({ description: 'Whether mail is signed by the key of a `dkim` record now; null of others' }),
    state: z
      .enum(['unchecked', 'found', 'missing', 'wrong'])
      .meta({ description: 'What the last answer of DNS had. wrong: something else stands there' }),
    found: z.array(z.string()).meta({ description: 'What stood there' }),
    problem: z.string().nullable().meta({ description: 'For people: what is wrong and what to do; null when nothing is' }),
    unavailable: z
      .string()
      .nullable()
      .meta({ description: 'Why DNS gave no answer the last time, so that the rest is what it said before; null when it did' }),
    checked_at: Timestamp.nullable().meta({ description: 'When DNS answered last; null: never' }),
  })
  .meta({ id: 'DomainRecord', description: 'A DNS record to set for a sending domain, and what was found of it' });

const DomainWithRecords = SendingDomainRecord.extend({
  records: z.array(DomainRecord).meta({
    description: 'Its records, each with what to do with it; empty for a domain of an operator that was not added by POST /domains yet',
  }),
  next_check_at: Timestamp.nullable().meta({
    description: 'When Everpost asks DNS again by itself; null before the first time, which is at once, and where there are no records',
  }),
}).meta({ id: 'SendingDomainWithRecords', description: 'A domain that email is sent from, and its DNS records' });

const list = defineRoute({
  method: 'get',
  path: '/domains',
  scope: 'any key',
  summary: "List the project's sending domains by name",
  status: 200,
  reply: z.object({ domains: z.array(SendingDomainRecord).meta({ description: 'All of them' }) }),
  examples: examples.list,
  async handle({ em, project }) {
    return { domains: (await listSendingDomains(em, project.id)).map(shown) };
  },
});

const add = defineRoute({
  method: 'post',
  path: '/domains',
  scope: 'domains:write',
  summary: 'Add a sending domain, and get the DNS records to set',
  description:
    'One that is there already is answered as it is, but for `ed25519`: true, which it then has. Set its records where the DNS of the domain is hosted, then POST /domains/:id/verify. It is ' +
    `verified once the records for ownership and DKIM are found. A project has at most ${MOST_DOMAINS} (\`too_many_domains\`).`,
  body: z
    .object({
      domain: z
        .string({ error: ({ input }) => (input === undefined ? 'required' : 'not a domain like example.com') })
        .max(MAX_DOMAIN_LENGTH, { error: `at most ${MAX_DOMAIN_LENGTH} characters`, abort: true })
        .overwrite((text) => asciiDomain(text.trim()) ?? text)
        .refine((text) => asciiDomain(text) !== undefined, { error: 'not a domain like example.com' })
        .meta({ description: 'Like `example.com`, or a subdomain that you send from' }),
      ed25519: z
        .boolean()
        .nullish()
        .meta({ description: 'true: its mail is signed by Ed25519 beside RSA, once that record is found, too. It is not when omitted' }),
    })
    .meta({ id: 'SendingDomainInput', description: 'A domain to send from' }),
  status: 201,
  reply: z.object({ domain: DomainWithRecords }),
  errors: ['invalid_request', 'too_many_domains'],
  examples: examples.add,
  async handle(context, { body }) {
    const domain = await addDomain(context, context.project.id, { domain: body.domain, ed25519: body.ed25519 ?? false });
    context.log.info('domain.added', { domainId: domain.id, keyId: context.keyId });
    return { domain: await withRecords(context, domain) };
  },
});

const DomainParams = z.object({ id: PathId.meta({ description: "The domain's id" }) });

const get = defineRoute({
  method: 'get',
  path: '/domains/:id',
  scope: 'any key',
  summary: 'Get a sending domain with its DNS records',
  params: DomainParams,
  status: 200,
  reply: z.object({ domain: DomainWithRecords }),
  errors: ['not_found'],
  examples: examples.get,
  async handle(context, { params }) {
    return { domain: await withRecords(context, await ofProject(context, params.id)) };
  },
});

const verify = defineRoute({
  method: 'post',
  path: '/domains/:id/verify',
  scope: 'domains:write',
  summary: 'Ask DNS for the records of a sending domain now',
  description:
    'Answers when DNS has, in some seconds at most. An outage of DNS changes nothing: it says why in `unavailable` of the records, and the domain ' +
    `stays what it was. A domain that was verified and lacks a required record is \`failing\`, and is not verified any more after ${shownPeriod(GRACE_MS)}.`,
  params: DomainParams,
  status: 200,
  reply: z.object({ domain: DomainWithRecords }),
  errors: ['not_found'],
  examples: examples.verify,
  async handle(context, { params }) {
    const domain = await checkDomain(context, await ofProject(context, params.id), 'now');
    return { domain: await withRecords(context, domain ?? notFound('domain')) };
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/domains/:id',
  scope: 'domains:write',
  summary: 'Change how the mail of a sending domain is signed',
  description:
    'With `ed25519` it gets one more DKIM record to set; its mail is signed by RSA alone until that is found. Without, nothing is signed by Ed25519 ' +
    `half a minute later; keep the record for ${shownPeriod(OVERLAP_MS)} (\`keep_until\`).`,
  params: DomainParams,
  body: z
    .object({
      ed25519: z
        .boolean({ error: ({ input }) => (input === undefined ? 'required' : 'true or false') })
        .meta({ description: 'Whether its mail is signed by Ed25519 beside RSA' }),
    })
    .meta({ id: 'SendingDomainChange', description: 'What to change of a sending domain' }),
  status: 200,
  reply: z.object({ domain: DomainWithRecords }),
  errors: ['not_found', 'invalid_request'],
  examples: examples.change,
  async handle(context, { params, body }) {
    const domain = await giveKeys(context, await ofProject(context, params.id), body);
    context.log.info('domain.changed', { domainId: params.id, ed25519: body.ed25519, keyId: context.keyId });
    return { domain: await withRecords(context, domain ?? notFound('domain')) };
  },
});

const rotate = defineRoute({
  method: 'post',
  path: '/domains/:id/rotate',
  scope: 'domains:write',
  summary: 'Make new DKIM keys for a sending domain',
  description:
    'Answers with the records of the new keys beside the others. The old ones sign until these records are found; then the new ones do, the old records ' +
    `are to be kept for ${shownPeriod(OVERLAP_MS)}, and after that the old private keys are deleted and their records can be taken away. A key that ` +
    'waits for its record already is the new one: no further one is made.',
  params: DomainParams,
  status: 200,
  reply: z.object({ domain: DomainWithRecords }),
  errors: ['not_found'],
  examples: examples.rotate,
  async handle(context, { params }) {
    const domain = await rotateKeys(context, await ofProject(context, params.id));
    context.log.info('domain.keys_rotated', { domainId: params.id, keyId: context.keyId });
    return { domain: await withRecords(context, domain ?? notFound('domain')) };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/domains/:id',
  scope: 'domains:write',
  summary: 'Delete a sending domain and its DKIM keys',
  description:
    'Mail from it is refused from then on (`invalid_from`), also where an operator had vouched for it. Added again, it has other records to set.',
  params: DomainParams,
  status: 200,
  reply: z.object({ deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['not_found'],
  examples: examples.remove,
  async handle({ em, project, log, keyId }, { params }) {
    if (!(await deleteDomain(em, project.id, params.id))) return notFound('domain');
    log.info('domain.deleted', { domainId: params.id, keyId });
    return { deleted: true as const };
  },
});

async function ofProject({ em, project }: KeyContext, id: string): Promise<SendingDomainRow> {
  return (await findSendingDomain(em, project.id, id)) ?? notFound('domain');
}

function shown(row: SendingDomainRow): z.output<typeof SendingDomainRecord> {
  const { id, domain, verified, vouched, standing, failing_since, checked_at, ed25519, created_at } = row;
  return { id, domain, verified, vouched, standing, failing_since, checked_at, ed25519, created_at };
}

async function withRecords(
  { em, spfInclude, trackingHost, returnPathHost }: KeyContext,
  row: SendingDomainRow,
): Promise<z.output<typeof DomainWithRecords>> {
  const { standing, checked_at, created_at } = row;
  const keys = await dkimKeysOf(em, row.id);
  const wanted = recordsOf(row, keys, { spfInclude, trackingHost, returnPathHost });
  const records = wanted.map(({ key, purpose, type, name, value, required, action, keepUntil, dkim }) => {
    const finding = row.findings[key];
    return {
      ...{ purpose, type, name, value, required, action, keep_until: keepUntil ?? null },
      ...{ algorithm: dkim?.algorithm ?? null, signs: dkim?.signs ?? null },
      ...{ state: finding?.state ?? ('unchecked' as const), found: [...(finding?.found ?? [])], problem: finding?.problem ?? null },
      unavailable: finding?.unavailable ?? null,
      checked_at: finding?.checkedAt ? new Date(finding.checkedAt) : null,
    };
  });
  const isLookedAfter = checked_at !== null && records.length > 0;
  const nextMs = isLookedAfter ? checked_at.getTime() + nextCheckMs({ standing, created_at, keys }, checked_at) : undefined;
  return { ...shown(row), records, next_check_at: nextMs === undefined ? null : new Date(nextMs) };
}

export const routes: readonly Route[] = [list, add, get, change, verify, rotate, remove];
