import * as z from 'zod';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { Refusal } from '../../domain/errors.ts';
import { sha256, type Vault } from '../../domain/projects/crypto.ts';

/** How long what was read back may be confirmed. */
export const CONFIRMATION_MINUTES = 10;

const PURPOSE = 'mcp confirmation';

/** What a token is for. */
export type ConfirmedAct = 'launch_campaign' | 'send_to_several' | 'activate_sequence';

/** Whose token it is: no other key and no other project can use it. */
export interface ConfirmingKey {
  readonly projectId: string;
  readonly keyId: string;
}

const Claims = z.object({
  act: z.enum(['launch_campaign', 'send_to_several', 'activate_sequence']),
  projectId: z.string(),
  keyId: z.string(),
  /** Of everything that was read back. */
  hash: z.string(),
  /** How many it is to. */
  count: z.int(),
  /** The digest of those whom it is to, where the act itself compares it. */
  audience: z.string().optional(),
  /** Places of those who were read back as not getting it: they do not, whatever becomes of them. */
  leftOut: z.array(z.int()).optional(),
  /** Of what has versions. */
  version: z.int(),
  expiresAt: z.int(),
  /** Two tokens of the same content are two acts. */
  id: z.string(),
});

/** What somebody was shown, and may confirm. */
export interface ReadBack {
  readonly act: ConfirmedAct;
  /** All that decides what goes to whom, in the form that it is read again. */
  readonly content: unknown;
  readonly count: number;
  readonly audience?: string;
  readonly leftOut?: readonly number[];
  readonly version: number;
}

/** A token of the server's secret for exactly what was read back. */
export function confirmationToken(vault: Vault, key: ConfirmingKey, readBack: ReadBack, { now, id }: { now: Date; id: string }): string {
  const { act, content, count, audience, leftOut, version } = readBack;
  const expiresAt = now.getTime() + CONFIRMATION_MINUTES * 60_000;
  const claims = {
    act,
    projectId: key.projectId,
    keyId: key.keyId,
    hash: hashOf(content),
    count,
    audience,
    leftOut,
    version,
    expiresAt,
    id,
  };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${text}.${vault.sign(PURPOSE, text)}`;
}

/** What a token confirms. */
export interface Confirmed {
  readonly count: number;
  readonly audience: string | undefined;
  readonly leftOut: readonly number[];
  readonly version: number;
  /** Made of the token alone: a second use of it is a repeated call, and no second act. */
  readonly idempotencyKey: string;
  /** Whether this is the content that was read back. */
  isOf(content: unknown): boolean;
  /** Throws `forbidden` when the content is another than was read back. */
  demandSame(content: unknown): void;
}

/** Throws `forbidden` for a token that nobody made, of another key, of another act, or that is too old. */
export function readConfirmation(vault: Vault, key: ConfirmingKey, act: ConfirmedAct, token: string, now: Date): Confirmed {
  const [text = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !vault.verify(PURPOSE, text, signature)) throw refused('this is no confirmation token of this server');
  const claims = Claims.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  if (claims.projectId !== key.projectId || claims.keyId !== key.keyId) throw refused('this confirmation token was made with another key');
  if (claims.act !== act) throw refused(`this confirmation token is for ${claims.act}`);
  if (claims.expiresAt <= now.getTime()) throw refused(`this confirmation token is older than ${CONFIRMATION_MINUTES} minutes`);
  const isOf = (content: unknown): boolean => hashOf(content) === claims.hash;
  return {
    count: claims.count,
    audience: claims.audience,
    leftOut: claims.leftOut ?? [],
    version: claims.version,
    idempotencyKey: `mcp-${sha256(text).toString('base64url')}`,
    isOf,
    demandSame(content) {
      if (!isOf(content)) throw refused('this is not what was read back: something has changed since, or is asked for anew');
    },
  };
}

function refused(why: string): Refusal {
  return new Refusal('forbidden', `${why}; prepare it again and confirm what is read back then`);
}

function hashOf(content: unknown): string {
  return sha256(canonicalJson(content)).toString('base64url');
}
