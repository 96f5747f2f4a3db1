import * as z from 'zod';
import type { SendingDomainRow } from '../../../db/entities/index.ts';
import { findSendingDomain, listSendingDomains } from '../../../db/queries/domains/sending-domains.ts';
import { asciiDomain } from '../../../domain/contacts/domain-name.ts';
import { MOST_DOMAINS } from '../../../domain/domains/domain.ts';
import { OVERLAP_MS } from '../../../domain/domains/key-turns.ts';
import { GRACE_MS } from '../../../domain/domains/standing.ts';
import { notFound } from '../../../domain/errors.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { addDomain } from '../../../usecases/domains/add-domain.ts';
import { checkDomain } from '../../../usecases/domains/check-domain.ts';
import { deleteDomain } from '../../../usecases/domains/delete-domain.ts';
import { giveKeys, rotateKeys } from '../../../usecases/domains/give-keys.ts';
import { giveRamp } from '../../../usecases/domains/set-ramp.ts';
import { domainRecords, withRecords } from '../../domain-records.ts';
import { DomainWithRecords, RampInput, SendingDomainRecord } from '../../domain-schemas.ts';
import * as examples from '../../examples/domain-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';

const MAX_DOMAIN_LENGTH = 253;

const list = defineRoute({
  method: 'get',
  path: '/domains',
  scope: 'any key',
  summary: "List the project's sending domains by name",
  status: 200,
  reply: z.object({ domains: z.array(SendingDomainRecord).meta({ description: 'All of them' }) }),
  examples: examples.list,
  async handle({ em, project, now }) {
    return { domains: await domainRecords(em, await listSendingDomains(em, project.id), now()) };
  },
});

const add = defineRoute({
  method: 'post',
  path: '/domains',
  scope: 'domains:write',
  summary: 'Add a sending domain, and get the DNS records to set',
  description:
    'One that is there already is answered as it is, but for `ed25519`: true and `ramp`, which it then has. Set its records where the DNS of the domain is hosted, then POST /domains/:id/verify. It is ' +
    `verified once the records for ownership and DKIM are found. A project has at most ${MOST_DOMAINS} (\`too_many_domains\`).`,
  body: z
    .object({
      domain: z
        .string({ error: ({ input }) => (input === undefined ? 'required' : 'not a domain like example.com') })
        .max(MAX_DOMAIN_LENGTH, { error: `at most ${MAX_DOMAIN_LENGTH} characters`, abort: true })
        .overwrite((text) => asciiDomain(text.trim().replace(/\.$/, '')) ?? text)
        .refine((text) => asciiDomain(text) !== undefined, { error: 'not a domain like example.com' })
        .meta({ description: 'Like `example.com`, or a subdomain that you send from' }),
      ed25519: z
        .boolean()
        .nullish()
        .meta({ description: 'true: its mail is signed by Ed25519 beside RSA, once that record is found, too. It is not when omitted' }),
      ramp: RampInput.nullish().meta({ description: 'Campaigns begin with few emails a day from it. No ramp when omitted' }),
    })
    .meta({ id: 'SendingDomainInput', description: 'A domain to send from' }),
  status: 201,
  reply: z.object({ domain: DomainWithRecords }),
  errors: ['invalid_request', 'too_many_domains'],
  examples: examples.add,
  async handle(context, { body }) {
    const added = await addDomain(context, context.project.id, { domain: body.domain, ed25519: body.ed25519 ?? false });
    const domain = (body.ramp && (await giveRamp(context.em, added, body.ramp.steps, context.now()))) ?? added;
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
  summary: 'Change how the email of a sending domain is signed, and how much of it goes',
  description:
    'With `ramp` campaigns send so many emails a day from it and its subdomains, where these have none of their own; other emails count, and are not held. ' +
    'A ramp that is changed stays on its day, and null takes it away; campaigns that wait for the next day look again. With `ed25519` it gets one more DKIM record to set; its mail is signed by RSA alone until that is found. Without, nothing is signed by Ed25519 ' +
    `half a minute later; keep the record for ${shownPeriod(OVERLAP_MS)} (\`keep_until\`).`,
  params: DomainParams,
  body: z
    .object({
      ed25519: z.boolean().nullish().meta({ description: 'Whether its mail is signed by Ed25519 beside RSA; kept when omitted' }),
      ramp: RampInput.nullish().meta({ description: 'Its daily ramp; null: none. Kept when omitted' }),
    })
    .refine(({ ed25519, ramp }) => typeof ed25519 === 'boolean' || ramp !== undefined, { error: 'give ed25519 or ramp' })
    .meta({ id: 'SendingDomainChange', description: 'What to change of a sending domain' }),
  status: 200,
  reply: z.object({ domain: DomainWithRecords }),
  errors: ['not_found', 'invalid_request'],
  examples: examples.change,
  async handle(context, { params, body }) {
    let domain: SendingDomainRow | undefined = await ofProject(context, params.id);
    const { ed25519, ramp } = body;
    if (typeof ed25519 === 'boolean') domain = await giveKeys(context, domain, { ed25519 });
    if (domain && ramp !== undefined) domain = await giveRamp(context.em, domain, ramp?.steps ?? null, context.now());
    context.log.info('domain.changed', {
      domainId: params.id,
      ed25519,
      ...(ramp === undefined ? {} : { ramp: ramp?.steps ?? null }),
      keyId: context.keyId,
    });
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

export const routes: readonly Route[] = [list, add, get, change, verify, rotate, remove];
