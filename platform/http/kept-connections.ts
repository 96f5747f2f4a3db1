import { type Connection, closeConnection, MAX_IDLE_MS } from './exchange.ts';

/** So that a name which leads elsewhere by now is looked up, and checked, again. */
const MAX_AGE_MS = 30_000;
const MAX_IDLE_OF_A_KEY = 50;
const MAX_IDLE = 500;

/** Idle connections, to be used again under the same key. */
export interface KeptConnections {
  /** The one that was used last of those that are open, young and not idle for long. It is the caller's then. */
  take(key: string): Connection | undefined;
  /** Closes it instead when it is not fit to be used again. */
  put(key: string, connection: Connection): void;
  /** Closes all, and whatever is put later. */
  close(): void;
}

interface Idle {
  readonly key: string;
  readonly connection: Connection;
  readonly since: number;
  readonly onClose: () => void;
}

export function createKeptConnections(now: () => number): KeptConnections {
  /** In the order of their becoming idle; so is each list below. */
  const all = new Set<Idle>();
  const byKey = new Map<string, Idle[]>();
  let isClosed = false;

  const remove = (idle: Idle): void => {
    idle.connection.socket.off('close', idle.onClose);
    all.delete(idle);
    const same = byKey.get(idle.key) ?? [];
    same.splice(same.lastIndexOf(idle), 1);
    if (same.length === 0) byKey.delete(idle.key);
  };
  const closeIdle = (idle: Idle): void => {
    remove(idle);
    closeConnection(idle.connection);
  };
  const isFit = ({ connection: { socket, openedAt }, since }: Idle): boolean =>
    !socket.destroyed && now() - openedAt < MAX_AGE_MS && now() - since < MAX_IDLE_MS;

  return {
    take(key) {
      for (let idle = byKey.get(key)?.at(-1); idle; idle = byKey.get(key)?.at(-1)) {
        if (isFit(idle)) {
          remove(idle);
          return idle.connection;
        }
        closeIdle(idle);
      }
      return undefined;
    },
    put(key, connection) {
      const same = byKey.get(key) ?? [];
      const { socket } = connection;
      // A server that answers before it has the whole request must not find the rest of it in front of the next one.
      const isFree = !socket.destroyed && socket.writableLength === 0;
      if (isClosed || !isFree || same.length >= MAX_IDLE_OF_A_KEY) return closeConnection(connection);
      const idle: Idle = { key, connection, since: now(), onClose: () => remove(idle) };
      socket.once('close', idle.onClose);
      all.add(idle);
      same.push(idle);
      byKey.set(key, same);
      const [longest] = all;
      if (all.size > MAX_IDLE && longest) closeIdle(longest);
    },
    close() {
      isClosed = true;
      for (const idle of all) closeIdle(idle);
    },
  };
}
