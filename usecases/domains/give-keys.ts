import type { SendingDomainRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { dkimKeysOf, turnKeys } from '../../db/queries/domains/dkim-keys.ts';
import { findDomainById, lockSendingDomain, setEd25519 } from '../../db/queries/domains/sending-domains.ts';
import { domainCheckSignal, domainCheckStart, enqueue } from '../../db/queries/operations/outbox.ts';
import { agedAlgorithms, DKIM_ALGORITHMS, type DkimAlgorithm, turnsAfter, waitingKey } from '../../domain/domains/key-turns.ts';
import { findingKeyOf } from '../../domain/domains/records.ts';
import { inTurnForKeys, type KeyMaking, type Lacking, makeKeys } from './make-keys.ts';

interface Giving extends KeyMaking {
  readonly em: EntityManager;
}

type Named = Pick<SendingDomainRow, 'id' | 'project_id'>;

/** Algorithms that mail is to be signed by. */
const wanted = (ed25519: boolean): readonly DkimAlgorithm[] => DKIM_ALGORITHMS.filter((algorithm) => algorithm === 'rsa' || ed25519);

/** Those of which there is no key that signs or is to. */
export function lackingKeys(ed25519: boolean): Lacking {
  return (_, keys) =>
    wanted(ed25519).filter((algorithm) => !keys.some((key) => key.algorithm === algorithm && key.sealed_private_key && !key.retired_at));
}

/** Gives a domain a key of each algorithm that its mail is to be signed by. `ed25519`: whether that is one of them from now on, as it was when omitted. undefined: it is gone. */
export async function giveKeys(
  giving: Giving,
  domain: Named,
  given: { readonly ed25519?: boolean },
): Promise<SendingDomainRow | undefined> {
  return changed(giving, domain, async (tx, held) => {
    const { ed25519 = held.ed25519 } = given;
    await setEd25519(tx, held.id, ed25519);
    if (!ed25519) await retireEd25519(tx, giving, held);
    return makeKeys(tx, giving, held, lackingKeys(ed25519));
  });
}

/** A new key beside each that its mail is signed by, which takes over when its record is found. One that waits for that already is the new one. */
export async function rotateKeys(giving: Giving, domain: Named): Promise<SendingDomainRow | undefined> {
  return changed(giving, domain, (tx, held) =>
    makeKeys(tx, giving, held, ({ ed25519 }, keys) => wanted(ed25519).filter((algorithm) => !waitingKey(keys, algorithm))),
  );
}

/** The same of those that have signed for so long, by the workflow of the domain. */
export async function rotateAgedKeys({ em, ...giving }: Giving, { id }: Named, ageMs: number): Promise<void> {
  const lacking: Lacking = ({ ed25519 }, keys) =>
    agedAlgorithms(keys, ageMs, giving.now()).filter((algorithm) => wanted(ed25519).includes(algorithm));
  const [domain, keys] = [await findDomainById(em, id), await dkimKeysOf(em, id)];
  if (!domain || lacking(domain, keys).length === 0) return;
  await inTurnForKeys(em, async (tx) => {
    const held = await lockSendingDomain(tx, id);
    if (held) await makeKeys(tx, giving, held, lacking);
  });
}

/** Changes the keys of a domain, and has its workflow look at them: it is started with the first one. */
async function changed(
  { em }: Giving,
  { id, project_id }: Named,
  change: (tx: EntityManager, held: SendingDomainRow) => ReturnType<typeof makeKeys>,
): Promise<SendingDomainRow | undefined> {
  return inTurnForKeys(em, async (tx) => {
    const held = await lockSendingDomain(tx, id);
    if (!held) return undefined;
    const { had, made } = await change(tx, held);
    if (had.length === 0) await enqueue(tx, project_id, [domainCheckStart(id)]);
    else if (made > 0) await enqueue(tx, project_id, [domainCheckSignal(id)]);
    return findDomainById(tx, id);
  });
}

/** Nothing is signed by it from now on; its records stay for those mails that are under way. What has never signed goes at once. */
async function retireEd25519(tx: EntityManager, { now }: Giving, { id, findings }: SendingDomainRow): Promise<void> {
  const keys = (await dkimKeysOf(tx, id)).filter(({ algorithm }) => algorithm === 'ed25519');
  const turns = turnsAfter(keys, (key) => findings[findingKeyOf(key)], { ed25519: false, now: now() });
  const unused = new Set(keys.filter(({ signed_at }) => signed_at === null).map((key) => key.id));
  await turnKeys(
    tx,
    turns.map((turn) => (unused.has(turn.id) ? { id: turn.id, isGone: true } : turn)),
  );
}
