import * as z from 'zod';
import { listApiKeys } from '../../../db/queries/projects/api-keys.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { MOST_KEYS } from '../../../domain/projects/api-key.ts';
import { SCOPES } from '../../../domain/projects/scopes.ts';
import { MAX_NAME_LENGTH } from '../../../domain/text-lengths.ts';
import { type HandingKey, makeKey, revokeKey } from '../../../usecases/projects/hand-out-keys.ts';
import * as examples from '../../examples/project-examples.ts';
import { KeyRecord, keyRecord } from '../../project-schemas.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';

const MOST_SCOPES = 50;

const list = defineRoute({
  method: 'get',
  path: '/keys',
  scope: 'keys:read',
  summary: "List the project's API keys with their last use, newest first",
  description: 'The keys themselves are shown only when they are made, by `POST /keys` or an operator (`key create`).',
  status: 200,
  reply: z.object({ keys: z.array(KeyRecord).meta({ description: 'Revoked ones among them' }) }),
  examples: examples.keys,
  async handle({ em, project }) {
    return { keys: (await listApiKeys(em, project.id)).map(keyRecord) };
  },
});

const KeyInput = z
  .object({
    name: z
      .string()
      .max(MAX_NAME_LENGTH, { error: `at most ${MAX_NAME_LENGTH} characters` })
      .regex(/^\P{Cc}*$/u, { error: 'no line breaks or control characters' })
      .nullish()
      // The same rule, for readers whose patterns know no Unicode properties.
      .meta({ pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$', description: 'For people: whose it is, or of which program' }),
    scopes: boundedArray(z.enum([...SCOPES, '*'], { error: `not a scope: one of ${SCOPES.join(', ')} and *` }), MOST_SCOPES, {
      error: `at most ${MOST_SCOPES} scopes`,
    }).meta({ description: 'What it may do, and no more than the key that makes it' }),
    isTest: z.boolean().nullish().meta({ description: 'Whether it is a test key; as the key that makes it when omitted' }),
  })
  .meta({ id: 'ApiKeyInput', description: 'A key to make' });

const make = defineRoute({
  method: 'post',
  path: '/keys',
  scope: 'keys:write',
  summary: 'Make an API key, which is shown once',
  description:
    'A key gives no more than it has itself, reads without a scope among it; a test key makes test keys (`forbidden`). ' +
    `At most ${MOST_KEYS} keys of a project work at once (\`too_many_keys\`). The key works at once, and stays when the one that made it is revoked.`,
  takesTestKeys: true,
  body: KeyInput,
  status: 201,
  reply: z.object({
    key: KeyRecord,
    secret: z.string().meta({ description: 'The key itself, for `Authorization: Bearer`: only its hash is stored, so keep it now' }),
  }),
  errors: ['invalid_request', 'too_many_keys'],
  examples: examples.makeKey,
  async handle(context, { body }) {
    const { em, newId, isTestKey, log } = context;
    const scopes = [...new Set(body.scopes)];
    const asked = { id: newId(), name: body.name?.trim() || undefined, scopes, isTest: body.isTest ?? isTestKey };
    const { key, secret } = await makeKey(em, handingKey(context), asked);
    log.info('key.made', { keyId: key.id, by: context.keyId });
    return { key: keyRecord(key), secret };
  },
});

const revoke = defineRoute({
  method: 'delete',
  path: '/keys/:id',
  scope: 'keys:write',
  summary: 'Revoke an API key: it stops with its next request',
  description:
    'With it end its sessions of the console. A key revokes those that may no more than itself, itself among them; a test key revokes test keys. ' +
    'Keys that it made stay: `made_by` names them. One that is revoked already stays so.',
  takesTestKeys: true,
  params: z.object({ id: PathId.meta({ description: "The key's id" }) }),
  status: 200,
  reply: z.object({ key: KeyRecord }),
  errors: ['not_found'],
  examples: examples.revokeKey,
  async handle(context, { params }) {
    const key = await revokeKey(context.em, handingKey(context), params.id, context.now());
    context.log.info('key.revoked', { keyId: key.id, by: context.keyId });
    return { key: keyRecord(key) };
  },
});

function handingKey({ keyId, project, scopes, isTestKey }: KeyContext): HandingKey {
  return { id: keyId, projectId: project.id, scopes, isTest: isTestKey };
}

export const routes: readonly Route[] = [list, make, revoke];
