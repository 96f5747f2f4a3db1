import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from '../../support/project.ts';
import { commandLine } from './support.ts';

const SEQUENCE = `
name: Trial
status: active
triggers:
  - { kind: event, config: { type: trial_started } }
nodes:
  - { id: start, kind: trigger }
  - { id: is_team, kind: branch, config: { when: { field: attributes.seats, op: gte, value: 10 } } }
  - { id: days, kind: wait_delay, config: { minutes: 2880 } }
  - { id: end, kind: exit }
edges:
  - { from: start, to: is_team }
  - { from: is_team, to: days, branchKey: "true" }
  - { from: is_team, to: end, branchKey: "false" }
  - { from: days, to: end }
`;

test('the outcome that is assumed of a node is a text, true and false and numbers too', async () => {
  const cli = await commandLine((await newProject()).key);
  await writeFile(join(cli.folder, 'trial.yaml'), SEQUENCE);
  const nodesOf = async (assumed: string) =>
    (await cli.json(`sequences simulate trial.yaml --assume ${assumed}`)).path.map(({ nodeId }: { nodeId: string }) => nodeId);
  expect(await nodesOf('is_team=true')).toEqual(['start', 'is_team', 'days', 'end']);
  expect(await nodesOf('is_team=false')).toEqual(['start', 'is_team', 'end']);
  const number = await cli.run('sequences simulate trial.yaml --assume is_team=1');
  expect(number).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ {2}--assume is_team: /m) });
  expect(number.stderr).not.toContain('not a text');
  for (const wrong of ['is_team', 'is_team=', '=true'])
    expect(await cli.run(`sequences simulate trial.yaml --assume ${wrong}`)).toMatchObject({ code: 2 });
});

test('an event that no trigger takes is simulated with a note', async () => {
  const cli = await commandLine((await newProject()).key);
  await writeFile(join(cli.folder, 'trial.yaml'), SEQUENCE);
  const other = await cli.run('sequences simulate trial.yaml --event other');
  expect(other.stderr).toBe('no trigger of the sequence takes the event other; it is simulated as if one did\n');
  expect((await cli.run('sequences simulate trial.yaml --event trial_started')).stderr).toBe('');
});
