import type { DecodedPacket } from 'dns-packet';
import { type Failure, type Question, queryFor } from './message.ts';
import { type NameServer, systemNameServers } from './name-server.ts';
import { askOverTcp } from './over-tcp.ts';
import { askOverUdp } from './over-udp.ts';
import { readAnswer, type Statement } from './read-answer.ts';

/** What one name is said to have, by the first server that can say it. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Statement | Failure>;

/** Asks one server after the other, each for its part of the time. */
export function createAsk(given: readonly NameServer[] | undefined, timeoutMs: number): Ask {
  /** Who answered last: one that is away costs its part of the time once. */
  let first = 0;
  return async (question, signal) => {
    const servers = given ?? systemNameServers();
    const start = first;
    const failures: Failure[] = [];
    for (let turn = 0; turn < servers.length && !signal.aborted; turn++) {
      const index = (start + turn) % servers.length;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs / servers.length))]);
      const statement = await statementOf(servers[index]!, question, limit);
      if ('status' in statement) {
        first = index;
        return statement;
      }
      failures.push(statement);
    }
    // What a server says of a name tells more than that another one is silent.
    return failures.find(({ why }) => why !== 'timeout' && why !== 'unreachable') ?? failures[0] ?? { why: 'timeout' };
  };
}

async function statementOf(server: NameServer, question: Question, signal: AbortSignal): Promise<Statement | Failure> {
  const packet = await packetOf(server, question, signal);
  return 'why' in packet ? packet : (readAnswer(packet, question) ?? { why: 'garbled' });
}

async function packetOf(server: NameServer, question: Question, signal: AbortSignal): Promise<DecodedPacket | Failure> {
  const query = queryFor(question);
  const reply = await askOverUdp(server, query, signal);
  return reply === 'truncated' ? askOverTcp(server, query, signal) : reply;
}
