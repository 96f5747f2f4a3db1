import { Alert, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { KeyForm } from './key-form.tsx';
import { StartFrame } from './start-frame.tsx';

/** `wasRefused`: the session has ended, or the link had a key that nobody has. */
export function SignIn({ wasRefused = false }: { readonly wasRefused?: boolean }): ReactNode {
  return (
    <StartFrame>
      <Title order={1} mb={4}>
        Sign in
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        The console shows one project, as far as your key allows. You then go on to the page you opened.
      </Text>
      {wasRefused ? (
        <Alert color="orange" mb="md" role="alert">
          Your session has ended, or the key was revoked. Paste another key.
        </Alert>
      ) : null}
      <KeyForm label="Sign in" />
    </StartFrame>
  );
}
