import { Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../../../frame/choices.ts';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import type { FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';

type Call = Required<ConfigOf<'webhook'>>;

const METHODS: Readonly<Record<Call['method'], string>> = { POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', GET: 'GET' };
const ON_ERROR: Readonly<Record<Call['onError'], string>> = { continue: 'Go on', fail: 'End the run' };

/** Which program a step calls, and what becomes of the run when that fails. */
export function CallForm({ config, onChange }: FormGiven): ReactNode {
  const { url, method = 'POST', onError = 'continue' } = config as ConfigOf<'webhook'>;
  return (
    <Stack gap="sm">
      <Select
        label="Method"
        size="xs"
        allowDeselect={false}
        data={choicesOf(METHODS)}
        value={method}
        onChange={(value) => onChange({ ...config, method: value })}
      />
      <TextInput
        label="URL"
        size="xs"
        value={url}
        error={useFault('url')}
        onChange={(event) => onChange({ ...config, url: event.currentTarget.value })}
      />
      <Select
        label="When it fails"
        size="xs"
        allowDeselect={false}
        data={choicesOf(ON_ERROR)}
        value={onError}
        onChange={(value) => onChange({ ...config, onError: value })}
      />
      <Text size="xs" c="dimmed">
        Set headers and body as JSON.
      </Text>
    </Stack>
  );
}
