import type { KeyObject } from 'node:crypto';
import { equalInConstantTime } from '../projects/crypto.ts';
import { standardKey, standardSignatureProblem } from '../webhooks/standard-webhooks.ts';
import type { ReportedEvent } from './event.ts';

/** A request as it came: its signature is over the exact bytes. */
export interface RawRequest {
  readonly body: Buffer;
  /** undefined when missing. */
  header(name: string): string | undefined;
}

/** What proves that an event is the provider's. */
export interface InboundSecrets {
  readonly inboundSecret: string;
  /** What an operator stored, if anything: the file of the provider says what it is. */
  readonly setting: string | undefined;
}

/** What the checks of SNS messages need from Amazon. */
export interface SnsClient {
  /** The key of a signing certificate; undefined when its address, its name, its time or its chain is not what SNS has. */
  signingKey(certificateUrl: string): Promise<KeyObject | undefined>;
  /** Visits the address that confirms a subscription. Answers false when it is none of SNS, throws when it does not answer well. */
  confirm(subscribeUrl: string): Promise<boolean>;
}

export interface ReadDeps {
  readonly sns: SnsClient;
  readonly now: () => Date;
}

/** Whose events are understood, and how. */
export interface InboundProviderKind {
  /** How a request is proven to be the provider's, for the API's description. */
  readonly proof: string;
  /** Checks who sent the request, then reads its events. Throws BadSignature, and NotAnEvent for a proven body that is none. */
  read(request: RawRequest, secrets: InboundSecrets, deps: ReadDeps): ReportedEvent[] | Promise<ReportedEvent[]>;
}

/** One that proves its events with something of its own, which an operator stores. */
export interface SettableProviderKind extends InboundProviderKind {
  /** What it takes as long as nothing is stored, for the API's description. */
  readonly untilStored: string;
  /** What is wrong with a value, if anything. */
  settingProblem(value: string): string | undefined;
}

/** The request is not proven to be the provider's. The message is public. */
export class BadSignature extends Error {
  override readonly name = 'BadSignature';
}

/** The signed id. Resend's service writes the names of Standard Webhooks with a prefix of its own. */
export function standardSigned(request: RawRequest, secret: string, now: Date): string {
  const header = (name: string): string => request.header(`webhook-${name}`) ?? request.header(`svix-${name}`) ?? '';
  const headers = { id: header('id'), timestamp: header('timestamp'), signature: header('signature') };
  const problem = standardSignatureProblem(standardKey(secret), headers, request.body, now);
  if (problem) throw new BadSignature(problem);
  return headers.id;
}

/** Basic authentication: `user:password` as it is, or else a password with any user. Throws BadSignature. */
export function checkBasic(request: RawRequest, right: { readonly credentials: string } | { readonly password: string }): void {
  const header = request.header('authorization');
  if (!header) throw new BadSignature('no user and password came with the request: send them as basic authentication');
  const given = Buffer.from(/^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1] ?? '', 'base64').toString();
  const isRight =
    'credentials' in right
      ? equalInConstantTime(given, right.credentials)
      : equalInConstantTime(given.slice(given.indexOf(':') + 1), right.password);
  if (!isRight) throw new BadSignature('user or password is wrong');
}

export function textOf({ body }: RawRequest): string {
  return body.toString('utf8');
}
