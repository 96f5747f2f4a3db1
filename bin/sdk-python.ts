import { apiDocument } from '../local/console-types.ts';
import { makePythonClient, pythonTools, whyNoPython } from '../local/python-client.ts';

/** Makes the Python client from the document of these sources. */
const reason = await whyNoPython();
if (reason === undefined) {
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  await makePythonClient(await pythonTools(progress), apiDocument());
  process.stdout.write('sdk-python/everpost/_generated is up to date\n');
} else {
  process.stderr.write(`${reason}: the Python client is not made\n`);
  process.exitCode = 1;
}
