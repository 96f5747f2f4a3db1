import * as z from 'zod';
import { findInboundProject } from '../../../db/queries/inbound/inbound-settings.ts';
import { Refusal } from '../../../domain/errors.ts';
import { DSN, readHandedOver } from '../../../domain/inbound/dsn.ts';
import { NotAnEvent, type ReportedEvent } from '../../../domain/inbound/event.ts';
import { GenericEvent } from '../../../domain/inbound/generic.ts';
import { BadSignature } from '../../../domain/inbound/proof.ts';
import { INBOUND, INBOUND_PROVIDERS, SETTABLE, SETTABLE_PROVIDERS } from '../../../domain/inbound/providers.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { takeReports } from '../../../usecases/inbound/take-reports.ts';
import * as examples from '../../examples/inbound-examples.ts';
import { defineRoute, type Route } from '../../route.ts';

const ProvidersOwn = z.union([z.looseObject({}), z.array(z.looseObject({}))]).meta({ description: "The provider's own form" });

/** generic first: others say that they do as it does. */
const PROOFS = (['generic', ...SETTABLE_PROVIDERS] as const).map((name) => `${name}: ${INBOUND[name].proof}.`).join(' ');
const UNTIL_STORED = SETTABLE_PROVIDERS.map((name) => `${name} takes ${SETTABLE[name].untilStored}`).join(', ');

const TakenReports = z.object({
  received: z.int().meta({ description: 'Events in the body that are about deliveries' }),
  matched: z.int().meta({ description: 'Those of them that are about an email of this project' }),
});

const InboundId = z.string().max(100).meta({ description: 'Of the project, as `project create` says' });

const takeMailedReport = defineRoute({
  method: 'post',
  path: '/inbound/dsn/:inboundId',
  scope: 'public',
  summary: 'Take a bounce or a complaint that came by mail',
  description:
    'The body is the mail itself, as a mail server or a rule of a mailbox hands it over; what is beyond 256 KB of it is not read, and 5 MB are ' +
    "refused. Basic authentication proves it: any user, with the project's inbound secret as the password. Understood are delivery reports " +
    '(RFC 3464), the bounces of qmail, Exim and others that have no such part, and complaints (RFC 5965). The email that it is about is found ' +
    'by the address that the report was sent to, where `RETURN_PATH` is set, or by the `Message-ID` that it quotes. Any other mail, like an ' +
    'absence note, is answered with `received: 0`. Each report counts once.',
  params: z.object({ inboundId: InboundId }),
  body: z.string().meta({ id: 'MailThatCameBack', description: 'A mail (RFC 5322)' }),
  hasSignedBody: true,
  bodyType: 'message/rfc822',
  status: 200,
  reply: TakenReports,
  errors: ['not_found', 'unauthorized', 'payload_too_large', 'unsupported_media_type', 'invalid_request'],
  examples: examples.mailedReport,
  async handle(context, { params: { inboundId } }) {
    const { em, vault } = context;
    const project = await findInboundProject(em, inboundId, DSN);
    if (!project) throw new Refusal('not_found', 'no project has this inbound id');
    const inboundSecret = vault.open(project.sealed_inbound_secret, sealedOf.inboundSecret(project.id)).toString();
    const request = await context.rawRequest();
    const events = await refusing(() => readHandedOver(request, { inboundSecret }, context));
    return takeReports(context, { projectId: project.id, provider: DSN, events });
  },
});

const receive = defineRoute({
  method: 'post',
  path: '/inbound/:provider/:inboundId',
  scope: 'public',
  summary: 'Take what a delivery provider reports',
  description:
    `The signature decides, over the exact body; without a right one nothing changes. ${PROOFS} ` +
    `An operator stores these with the admin CLI (\`inbound set\`); until then ${UNTIL_STORED}. ` +
    'Each event counts once, in any order; one about a send that nobody knows is ignored.',
  params: z.object({
    provider: z.enum(INBOUND_PROVIDERS).meta({ description: 'Who reports' }),
    inboundId: InboundId,
  }),
  body: z.union([GenericEvent, ProvidersOwn]),
  hasSignedBody: true,
  status: 200,
  reply: TakenReports,
  errors: ['not_found', 'unauthorized', 'payload_too_large', 'unsupported_media_type', 'invalid_request'],
  examples: examples.inbound,
  async handle(context, { params }) {
    const { em, vault } = context;
    const { provider, inboundId } = params;
    const project = await findInboundProject(em, inboundId, provider);
    if (!project) throw new Refusal('not_found', 'no project has this inbound id');
    const secrets = {
      inboundSecret: vault.open(project.sealed_inbound_secret, sealedOf.inboundSecret(project.id)).toString(),
      setting: project.sealed_value
        ? vault.open(project.sealed_value, sealedOf.inboundSetting(project.id, provider)).toString()
        : undefined,
    };
    const request = await context.rawRequest();
    const events = await refusing(() => INBOUND[provider].read(request, secrets, context));
    return takeReports(context, { projectId: project.id, provider, events });
  },
});

async function refusing(read: () => ReportedEvent[] | Promise<ReportedEvent[]>): Promise<ReportedEvent[]> {
  try {
    return await read();
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof BadSignature) throw new Refusal('unauthorized', error.message);
  if (error instanceof NotAnEvent) {
    throw new Refusal('invalid_request', `not an event: ${error.message}`, { body: { issues: error.issues } });
  }
  throw error;
}

/** The first is no provider. */
export const routes: readonly Route[] = [takeMailedReport, receive];
