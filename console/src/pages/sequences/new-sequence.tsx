import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { NewSequenceForm } from './new-sequence-form.tsx';

/** Makes a draft, and leads to where it is edited. `taken`: keys that there are, as far as they are known; `isFirst`: asked in an empty list. */
export function NewSequence({ taken, isFirst = false }: { readonly taken: readonly string[]; readonly isFirst?: boolean }): ReactNode {
  const { may } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  if (!may('PUT /sequences/{key}')) return null;
  return (
    <>
      {isFirst ? (
        <Button variant="default" mt="sm" onClick={() => setIsOpen(true)}>
          Make the first sequence
        </Button>
      ) : (
        <Button leftSection={<IconPlus size={14} />} onClick={() => setIsOpen(true)}>
          New sequence
        </Button>
      )}
      <FormDialog opened={isOpen} onClose={() => setIsOpen(false)} title="New sequence">
        <NewSequenceForm taken={taken} />
      </FormDialog>
    </>
  );
}
