import { Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { LONGEST_NAME } from '../../../api/limits.ts';
import { FormDialog, FormEnd, useForm } from '../../../frame/form.tsx';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { notifyDone } from '../../../show/notify.ts';
import type { Block } from '../template-queries.ts';
import { nameFault, SAVED_BLOCKS, saveBlock } from './saved-block-queries.ts';

interface Given {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly block: Block;
}

/** Keeps a block under a name, for other templates. */
export function SaveBlock({ opened, onClose, block }: Given): ReactNode {
  return (
    <FormDialog opened={opened} onClose={onClose} title="Save this block">
      <NameForm block={block} onClose={onClose} />
    </FormDialog>
  );
}

function NameForm({ block, onClose }: Pick<Given, 'block' | 'onClose'>): ReactNode {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const save = useMutation({
    mutationFn: () => saveBlock(name.trim(), block),
    onSuccess: async () => {
      onClose();
      notifyDone(`${name.trim()} saved. You can insert it when you add a block`);
      await queries.invalidateQueries({ queryKey: SAVED_BLOCKS });
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { name: name.trim() ? undefined : 'Enter a name' },
    ...{ error: save.error, isPending: save.isPending, isUnsaved: name !== '', onSubmit: save.mutate },
  });
  const taken = nameFault(save.error);
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm">You can insert copies of it into other templates. Later changes do not affect copies.</Text>
        <TextInput
          label="Name"
          placeholder="Account button"
          maxLength={LONGEST_NAME}
          value={name}
          error={taken ?? errorOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {save.error && !taken ? <FailureNotice error={save.error} /> : null}
        <FormEnd action="Save block" isPending={save.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}
