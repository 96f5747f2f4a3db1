import { Resolver } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';

/** Where DNS is asked. */
export interface NameServer {
  readonly address: string;
  readonly port: number;
}

const USUAL_PORT = 53;
const FORM = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[^:]+))(?::(?<port>\d{1,5}))?$/;

/** Reads `address`, `address:port` or `[v6]:port`; undefined: it is none of them. An IPv6 address alone needs no brackets. */
export function nameServerOf(text: string): NameServer | undefined {
  if (isIPv6(text)) return { address: text, port: USUAL_PORT };
  const { v6, v4 = '', port = USUAL_PORT } = FORM.exec(text)?.groups ?? {};
  const server = { address: v6 ?? v4, port: Number(port) };
  const isAddress = isIP(server.address) === (v6 === undefined ? 4 : 6);
  return isAddress && server.port >= 1 && server.port <= 65_535 ? server : undefined;
}

/** Those of the operating system, as they are now. */
export function systemNameServers(): NameServer[] {
  return new Resolver().getServers().flatMap((text) => nameServerOf(text) ?? []);
}
