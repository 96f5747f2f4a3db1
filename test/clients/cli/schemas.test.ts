import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { testEnvironment } from '../../support/environment.ts';

test.each(['template', 'content', 'sequence'])('the schema of a %s is taken by a validator in strict mode', async (name) => {
  const schema = await (await fetch(`${testEnvironment().apiUrl}/schemas/${name}.json`)).json();
  const isValid = new Ajv({ strict: true, validateFormats: false }).compile(schema);
  expect(isValid({ nonsense: 1 })).toBe(false);
});
