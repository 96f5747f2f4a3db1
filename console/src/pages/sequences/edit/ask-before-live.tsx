import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Clamped } from '../../../show/clamped.tsx';
import type { ListedVersion } from '../sequence-queries.ts';
import type { SavingGraph } from './use-save-graph.ts';

/** Of more, those that are left are counted together. */
const MOST_NAMED = 3;

/** Before an active sequence is saved: who stays on what they began with, and who gets what is saved. */
export function AskBeforeLive({ name, saving }: { readonly name: string; readonly saving: SavingGraph }): ReactNode {
  const { question, answer } = saving;
  const close = (): void => answer(false);
  return (
    <Modal opened={question !== undefined} onClose={close} title={<Clamped>{`Save changes to ${name}? It is live`}</Clamped>}>
      {question ? (
        <Stack gap="md">
          <Text size="sm">{liveWords(question.staying, question.version + 1)}</Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Keep editing
            </Button>
            <Button onClick={() => answer(true)} data-autofocus>
              Save version {question.version + 1}
            </Button>
          </Group>
        </Stack>
      ) : null}
    </Modal>
  );
}

/** Like `23 stay on version 1, new people get version 2.` */
function liveWords(staying: readonly ListedVersion[], next: number): string {
  const named = staying.slice(0, MOST_NAMED);
  const others = staying.slice(MOST_NAMED).reduce((sum, { active }) => sum + active, 0);
  const stay = named.map(({ version, active }, index) => {
    const count = active.toLocaleString('en');
    return index === 0 ? `${count} ${active === 1 ? 'stays' : 'stay'} on version ${version}` : `${count} on version ${version}`;
  });
  return [...stay, ...(others > 0 ? [`${others.toLocaleString('en')} on earlier versions`] : []), `new contacts get version ${next}.`].join(
    ', ',
  );
}
