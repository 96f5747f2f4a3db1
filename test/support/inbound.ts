import { randomUUID } from 'node:crypto';
import { standardKey, standardSignature } from '../../domain/webhooks/standard-webhooks.ts';
import { testEnvironment } from './environment.ts';
import type { TestProject } from './project.ts';

export interface InboundReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what they find
  readonly body: any;
}

/** Posts a body as it is to an inbound address. */
export async function postInbound(
  address: { readonly inboundId: string },
  provider: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  baseUrl = testEnvironment().apiUrl,
): Promise<InboundReply> {
  const response = await fetch(`${baseUrl}/api/v1/inbound/${provider}/${address.inboundId}`, { method: 'POST', body, headers });
  return { status: response.status, body: await response.json() };
}

export interface Signing {
  readonly secret: string;
  readonly id?: string;
  readonly at?: Date;
  readonly prefix?: 'webhook' | 'svix';
}

/** The headers of Standard Webhooks for this body. */
export function standardHeaders(body: string, { secret, id = `msg_${randomUUID()}`, at = new Date(), prefix = 'webhook' }: Signing) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    'content-type': 'application/json',
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: timestamp,
    [`${prefix}-signature`]: standardSignature(standardKey(secret), id, timestamp, body),
  };
}

export interface GenericEventInput {
  readonly type: string;
  readonly providerId: string;
  readonly timestamp?: string;
  readonly bounce?: { readonly kind: string; readonly code?: string };
  readonly url?: string;
  readonly email?: string;
}

/** Reports an event the generic way, rightly signed. The same id is the same event. */
export async function report(project: TestProject, event: GenericEventInput, id?: string): Promise<InboundReply> {
  const body = JSON.stringify({ timestamp: new Date().toISOString(), ...event });
  return postInbound(project, 'generic', body, standardHeaders(body, { secret: project.inboundSecret, ...(id ? { id } : {}) }));
}
