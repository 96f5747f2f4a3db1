import { Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConfigOf } from '../../graph/node-words.ts';
import type { FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';

/** Which program a step calls, and what becomes of the run when that fails. */
export function CallForm({ config, onChange }: FormGiven): ReactNode {
  const { url, method = 'POST', onError = 'continue' } = config as ConfigOf<'webhook'>;
  return (
    <Stack gap="sm">
      <Select
        label="Method"
        size="xs"
        allowDeselect={false}
        data={['POST', 'PUT', 'PATCH', 'GET']}
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
        data={[
          { value: 'continue', label: 'Go on' },
          { value: 'fail', label: 'End the run' },
        ]}
        value={onError}
        onChange={(value) => onChange({ ...config, onError: value })}
      />
      <Text size="xs" c="dimmed">
        Headers and body are set as JSON.
      </Text>
    </Stack>
  );
}
