import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { asFailure } from '../api/failure.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import { signIn } from './standing.ts';

export const INVALID_KEY = 'This key is not valid. It may have been revoked, or copied incompletely.';

/** Signs in with a pasted key when the API knows it. */
export function KeyForm({ label, onTaken }: { readonly label: string; readonly onTaken?: () => void }): ReactNode {
  const [text, setText] = useState('');
  const check = useMutation({
    mutationFn: signIn,
    onSuccess: () => onTaken?.(),
  });
  const key = text.trim();
  const isUnknown = check.error !== null && asFailure(check.error).kind === 'key';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (key) check.mutate(key);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <PasswordInput
          label="API key"
          description="Signs you in on all tabs. The key itself is not stored"
          placeholder="ep_live_…"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          autoFocus
          size="sm"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={isUnknown ? INVALID_KEY : undefined}
        />
        {check.error && !isUnknown ? <FailureNotice error={check.error} /> : null}
        <Button type="submit" size="sm" loading={check.isPending} disabled={!key}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
