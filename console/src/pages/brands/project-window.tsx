import { Button, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Panel } from '../../frame/detail.tsx';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { OFFICE_HOURS, WindowFields, windowFaults } from '../../frame/send-window-fields.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { type SendWindow, windowWords } from '../../show/send-window-words.ts';

const TITLE = 'Send window';

/** In which hours the marketing of the project goes, and the way to change that. */
export function ProjectWindow(): ReactNode {
  const { project, may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const { send_window: window } = project;
  return (
    <Panel
      title={TITLE}
      action={
        may('PATCH /project') ? (
          <Button size="xs" variant="default" onClick={() => setIsAsked(true)}>
            {window ? 'Change send window' : 'Set send window'}
          </Button>
        ) : undefined
      }
    >
      <Text size="sm">
        {window
          ? `${window.transactional ? 'All email' : 'Marketing email'} goes ${windowWords(window)}. What comes at another time waits until then.`
          : 'Email goes at any time of the day.'}
      </Text>
      <FormDialog opened={isAsked} onClose={() => setIsAsked(false)} title={TITLE}>
        <WindowForm window={window} onClose={() => setIsAsked(false)} />
      </FormDialog>
    </Panel>
  );
}

function WindowForm({ window, onClose }: { readonly window: SendWindow | null; readonly onClose: () => void }): ReactNode {
  const { readAgain } = useSession();
  const [isOn, setIsOn] = useState(window !== null);
  const [draft, setDraft] = useState(window ?? OFFICE_HOURS);
  const isChanged = isOn !== (window !== null) || (isOn && JSON.stringify(draft) !== JSON.stringify(window));
  const save = useMutation({
    mutationFn: () => answerOf(api.PATCH('/project', { body: { sendWindow: isOn ? draft : null } })),
    onSuccess: async () => {
      await readAgain();
      onClose();
      notifyDone('Send window saved');
    },
  });
  const faults = isOn ? windowFaults(draft) : {};
  const { props, errorOf, close } = useForm({
    faults: Object.fromEntries(Object.entries(faults).map(([name, fault]) => [`sendWindow.${name}`, fault])),
    error: save.error,
    isPending: save.isPending,
    isUnsaved: isChanged && !save.isSuccess,
    onSubmit: save.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Marketing emails of sequences, campaigns and single calls wait until it opens, transactional ones only if you say so. A sequence
          and a campaign may have a send window of their own.
        </Text>
        <Switch label="Send only in these hours" checked={isOn} onChange={(event) => setIsOn(event.currentTarget.checked)} />
        {isOn ? <WindowFields window={draft} onChange={setDraft} errorOf={(name) => errorOf(`sendWindow.${name}`)} /> : null}
        {save.error ? <FailureNotice error={save.error} /> : null}
        <FormEnd action="Save" isPending={save.isPending} disabled={!isChanged} onCancel={close} />
      </Stack>
    </form>
  );
}
