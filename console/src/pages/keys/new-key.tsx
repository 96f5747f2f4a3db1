import { Checkbox, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { PRESETS } from '../../../generated/key-scopes.ts';
import { answerOf, api } from '../../api/client.ts';
import { LONGEST_NAME } from '../../api/limits.ts';
import { keysOf } from '../../frame/choices.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import type { Scope } from '../../session/me.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { SecretOnce } from '../../show/secret-once.tsx';
import { KEYS } from './key-queries.ts';
import { OwnScopes } from './own-scopes.tsx';
import { PRESET_WORDS, type PresetName } from './scope-words.ts';

interface KeyGiven {
  readonly name: string;
  readonly scopes: (Scope | '*')[];
  readonly isTest: boolean;
}

/** Makes a key that may no more than the one that is signed in with; then shows it, once. */
export function NewKey({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: (body: KeyGiven) => answerOf(api.POST('/keys', { body })),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: KEYS });
    },
  });
  const close = (): void => {
    make.reset();
    onClose();
  };
  return (
    <>
      <FormDialog opened={opened} onClose={close} title="Create API key" size="lg">
        <KeyForm isPending={make.isPending} error={make.error} onSubmit={(given) => make.mutate(given)} />
      </FormDialog>
      <SecretOnce what="key" secret={make.data?.secret} onStored={make.reset}>
        An app sends it in the Authorization: Bearer header. A person signs in here with it.
      </SecretOnce>
    </>
  );
}

type Choice = PresetName | 'own';

interface FormGiven {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (given: KeyGiven) => void;
}

function KeyForm({ isPending, error, onSubmit }: FormGiven): ReactNode {
  const { key } = useSession();
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<Choice>();
  const [own, setOwn] = useState<readonly Scope[]>([]);
  const [isTest, setIsTest] = useState(key.is_test);
  const scopes = choice === 'own' ? own : choice ? PRESETS[choice] : [];
  const { props, errorOf, close } = useForm({
    faults: {
      name: name.trim() ? undefined : 'Enter a name',
      scopes: scopes.length > 0 ? undefined : 'Choose what the key can do',
    },
    error,
    isPending,
    isUnsaved: name !== '' || choice !== undefined,
    onSubmit: () => onSubmit({ name: name.trim(), scopes: [...scopes], isTest }),
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Who or what uses it"
          maxLength={LONGEST_NAME}
          required
          data-autofocus
          value={name}
          error={errorOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ScopesChoice choice={choice} onChoice={setChoice} own={own} onOwn={setOwn} error={errorOf('scopes')} />
        <Checkbox
          label="Test key"
          description="Nothing it sends is delivered"
          size="sm"
          disabled={key.is_test}
          checked={isTest}
          onChange={(event) => setIsTest(event.currentTarget.checked)}
        />
        {error ? <FailureNotice error={error} /> : null}
        <FormEnd action="Create key" isPending={isPending} onCancel={close} />
      </Stack>
    </form>
  );
}

interface ScopesGiven {
  readonly choice: Choice | undefined;
  readonly onChoice: (choice: Choice) => void;
  readonly own: readonly Scope[];
  readonly onOwn: (own: readonly Scope[]) => void;
  readonly error: string | undefined;
}

/** A preset or a choice of one's own, of what the key that is signed in with may hand on. */
function ScopesChoice({ choice, onChoice, own, onOwn, error }: ScopesGiven): ReactNode {
  const { key, grants } = useSession();
  const hasAll = key.scopes.includes('*');
  const has = (scope: Scope | '*'): boolean => hasAll || (scope !== '*' && grants.includes(scope));
  return (
    <>
      <Radio.Group label="Permissions" required value={choice ?? null} error={error} onChange={(value) => onChoice(value as Choice)}>
        <Stack mt={6} gap="xs">
          {keysOf(PRESET_WORDS).map((preset) => (
            <Radio
              key={preset}
              value={preset}
              label={PRESET_WORDS[preset].label}
              description={PRESET_WORDS[preset].text}
              size="sm"
              disabled={!PRESETS[preset].every(has)}
              aria-invalid={error === undefined ? undefined : true}
            />
          ))}
          <Radio value="own" label="Custom scopes" description="Choose each one yourself" size="sm" />
        </Stack>
      </Radio.Group>
      {choice === 'own' ? <OwnScopes own={own} onOwn={onOwn} has={has} /> : null}
    </>
  );
}
