import * as z from 'zod';
import { findInboundProject } from '../../../db/queries/inbound/inbound-settings.ts';
import { countMatched, keepProviderEvents } from '../../../db/queries/inbound/provider-events.ts';
import { Refusal } from '../../../domain/errors.ts';
import { NotAnEvent, type ReportedEvent } from '../../../domain/inbound/event.ts';
import { GenericEvent } from '../../../domain/inbound/generic.ts';
import { BadSignature, type InboundSecrets, type RawRequest, type ReadDeps } from '../../../domain/inbound/proof.ts';
import { INBOUND, INBOUND_PROVIDERS, type InboundProvider, SETTABLE, SETTABLE_PROVIDERS } from '../../../domain/inbound/providers.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { recordProviderEvent } from '../../../usecases/inbound/record-provider-event.ts';
import * as examples from '../../examples/inbound-examples.ts';
import { defineRoute, type Route } from '../../route.ts';

/** Providers wait a few seconds for an answer before they tell everything again. */
const APPLY_WITHIN_MS = 2_000;

const ProvidersOwn = z.union([z.looseObject({}), z.array(z.looseObject({}))]).meta({ description: "The provider's own form" });

/** generic first: others say that they do as it does. */
const PROOFS = (['generic', ...SETTABLE_PROVIDERS] as const).map((name) => `${name}: ${INBOUND[name].proof}.`).join(' ');
const UNTIL_STORED = SETTABLE_PROVIDERS.map((name) => `${name} takes ${SETTABLE[name].untilStored}`).join(', ');

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
    inboundId: z.string().max(100).meta({ description: 'Of the project, as `project create` says' }),
  }),
  body: z.union([GenericEvent, ProvidersOwn]),
  hasSignedBody: true,
  status: 200,
  reply: z.object({
    received: z.int().meta({ description: 'Events in the body that are about deliveries' }),
    matched: z.int().meta({ description: 'Those of them that are about an email of this project' }),
  }),
  errors: ['not_found', 'unauthorized', 'payload_too_large', 'unsupported_media_type', 'invalid_request'],
  examples: examples.inbound,
  async handle(context, { params }) {
    const { em, vault, now, newId, softBounceLimit } = context;
    const { provider, inboundId } = params;
    const project = await findInboundProject(em, inboundId, provider);
    if (!project) throw new Refusal('not_found', 'no project has this inbound id');
    const secrets = {
      inboundSecret: vault.open(project.sealed_inbound_secret, sealedOf.inboundSecret(project.id)).toString(),
      setting: project.sealed_value
        ? vault.open(project.sealed_value, sealedOf.inboundSetting(project.id, provider)).toString()
        : undefined,
    };
    const events = await readReport(provider, await context.rawRequest(), secrets, context);
    const ids = await keepProviderEvents(em, { projectId: project.id, provider, events, now: now(), newId });
    // What a large batch leaves over is kept, and applied by a worker.
    const deadline = now().getTime() + APPLY_WITHIN_MS;
    for (const id of ids) {
      if (now().getTime() > deadline) break;
      await recordProviderEvent(em, id, { softBounceLimit, now: now() });
    }
    return { received: events.length, matched: await countMatched(em, project.id, events) };
  },
});

async function readReport(
  provider: InboundProvider,
  request: RawRequest,
  secrets: InboundSecrets,
  deps: ReadDeps,
): Promise<ReportedEvent[]> {
  try {
    return await INBOUND[provider].read(request, secrets, deps);
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

export const routes: readonly Route[] = [receive];
