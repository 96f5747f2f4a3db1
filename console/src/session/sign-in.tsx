import { Alert, Code, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { INVALID_KEY, KeyForm } from './key-form.tsx';
import type { Refused } from './standing.ts';
import { StartFrame } from './start-frame.tsx';

const REFUSED: Readonly<Record<Refused, string>> = {
  session: 'Your session has ended, or the key was revoked. Paste another key.',
  key: INVALID_KEY,
};

/** `refused`: why the key is asked for again; undefined for whoever comes without one. */
export function SignIn({ refused }: { readonly refused?: Refused | undefined }): ReactNode {
  return (
    <StartFrame>
      <Title order={1} mb={4}>
        Sign in
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        The console shows one project, as far as your key allows. You then go on to the page you opened.
      </Text>
      {refused ? (
        <Alert color="orange" mb="md" role="alert">
          {REFUSED[refused]}
        </Alert>
      ) : null}
      <KeyForm label="Sign in" />
      <Text size="xs" c="dimmed" mt="md">
        Keys are created in the console, under API keys, or by whoever runs Everpost. The key of a trial with npm start is printed by{' '}
        <Code>npm run -s admin -- demo</Code>.
      </Text>
    </StartFrame>
  );
}
