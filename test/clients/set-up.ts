import { buildCli } from '../../cli/build.ts';
import startServers from '../support/global-setup.ts';

/** The servers of all tests, and the clients as they are published. */
export default async function setUp(): Promise<() => Promise<void>> {
  await buildCli();
  return startServers();
}
