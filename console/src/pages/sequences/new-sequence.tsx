import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import { FormDialog } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { NewSequenceForm } from './new-sequence-form.tsx';

/** In the address of the list, as Ctrl+K has it: it asks for a new one at once. */
const ASKED = 'new';

/** Makes a draft, and leads to where it is edited. `taken`: keys that there are, as far as they are known; `isFirst`: asked in an empty list. */
export function NewSequence({ taken, isFirst = false }: { readonly taken: readonly string[]; readonly isFirst?: boolean }): ReactNode {
  const { may } = useSession();
  const [isClicked, setIsClicked] = useState(false);
  const [search, setSearch] = useSearchParams();
  const isOpen = isClicked || (!isFirst && search.has(ASKED));
  const close = (): void => {
    setIsClicked(false);
    if (search.has(ASKED)) setSearch(without(ASKED), { replace: true });
  };
  if (!may('PUT /sequences/{key}')) return null;
  return (
    <>
      {isFirst ? (
        <Button variant="default" onClick={() => setIsClicked(true)}>
          Create your first sequence
        </Button>
      ) : (
        <Button leftSection={<IconPlus size={14} />} onClick={() => setIsClicked(true)}>
          New sequence
        </Button>
      )}
      <FormDialog opened={isOpen} onClose={close} title="New sequence">
        <NewSequenceForm taken={taken} />
      </FormDialog>
    </>
  );
}

function without(name: string): (search: URLSearchParams) => URLSearchParams {
  return (search) => new URLSearchParams([...search].filter(([each]) => each !== name));
}
