import { Button, Group, Menu, Modal, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconAdjustments, IconHistory, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { useFieldErrors } from '../../frame/field-errors.ts';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { Confirm } from '../../show/confirm.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import { type MailData, TEMPLATES, type Template, type TemplateContent } from './template-queries.ts';
import { TemplateVersions } from './template-versions.tsx';

interface Given {
  readonly template: Template;
  readonly brand: string | undefined;
}

export type Asked = 'settings' | 'versions' | 'delete';

interface ActionsGiven extends Given {
  /** Liquid; that of mails while none is set. */
  readonly ownSubject: string;
  readonly data: MailData;
  /** Which dialog is open. */
  readonly asked: Asked | undefined;
  readonly onAsk: (asked: Asked | undefined) => void;
  /** Goes on editing with what a version said. */
  readonly onTake: (content: TemplateContent) => void;
}

/** What is set beside the content, and the end of a template of one's own. */
export function TemplateActions({ template, brand, ownSubject, data, asked, onAsk, onTake }: ActionsGiven): ReactNode {
  const close = (): void => onAsk(undefined);
  // What is typed lives within the dialog.
  const closeSettings = useRef((now: () => void): void => now());
  return (
    <>
      <MoreActions>
        <Menu.Item leftSection={<IconAdjustments size={15} />} onClick={() => onAsk('settings')}>
          Settings…
        </Menu.Item>
        <Menu.Item leftSection={<IconHistory size={15} />} onClick={() => onAsk('versions')}>
          Versions…
        </Menu.Item>
        {template.own ? (
          <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => onAsk('delete')}>
            Delete template…
          </Menu.Item>
        ) : null}
      </MoreActions>
      <Modal opened={asked === 'settings'} onClose={() => closeSettings.current(close)} title={`Settings of ${template.key}`}>
        <Settings template={template} brand={brand} ownSubject={ownSubject} onClose={close} guard={closeSettings} />
      </Modal>
      <Modal opened={asked === 'versions'} onClose={close} title={`Versions of ${template.key}`} size={900}>
        <TemplateVersions
          templateKey={template.key}
          brand={brand}
          data={data}
          onTake={(content) => {
            close();
            onTake(content);
          }}
        />
      </Modal>
      <Delete template={template} opened={asked === 'delete'} onClose={close} />
    </>
  );
}

interface SettingsGiven extends Pick<ActionsGiven, 'template' | 'brand' | 'ownSubject'> {
  readonly onClose: () => void;
  /** Set to what asks before unsaved input is lost. */
  readonly guard: { current: (close: () => void) => void };
}

function Settings({ template, brand, ownSubject, onClose, guard }: SettingsGiven): ReactNode {
  const queries = useQueryClient();
  const [enabled, setEnabled] = useState(template.enabled);
  const [subject, setSubject] = useState(template.subject || ownSubject);
  const [email, setEmail] = useState(template.from?.email ?? '');
  const [name, setName] = useState(template.from?.name ?? '');
  const save = useMutation({
    mutationFn: () =>
      answerOf(
        api.PUT('/templates/{key}', {
          params: { path: { key: template.key } },
          body: {
            enabled,
            // Its own is none that is set: it goes on with what the template says.
            defaultSubject: subject.trim() === ownSubject ? '' : subject,
            from: email.trim() ? { email: email.trim(), ...(name.trim() ? { name: name.trim() } : {}) } : null,
            ...(brand ? { brand } : {}),
          },
        }),
      ),
    onSuccess: async ({ warnings = [] }) => {
      onClose();
      notifyDone([`${template.key} is saved`, ...warnings.map(({ message }) => message)].join('. '));
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, 'list'] });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, template.key, 'preview'] });
    },
  });
  const problemOf = useFieldErrors(save.error);
  const sender = template.from;
  const isChanged =
    enabled !== template.enabled ||
    subject !== (template.subject || ownSubject) ||
    email !== (sender?.email ?? '') ||
    name !== (sender?.name ?? '');
  const ask = useLeaveGuard(isChanged);
  guard.current = ask;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Switch
          label="On"
          description="Nothing is sent with it while it is off"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <TextInput
          label="Subject"
          description={
            subject.trim() && subject.trim() !== ownSubject
              ? `Liquid. When it is empty, the template's own: ${ownSubject}`
              : "Liquid, like {{ contact.first_name }}. This is the template's own"
          }
          placeholder={ownSubject}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={998}
          value={subject}
          error={problemOf('defaultSubject')}
          onChange={(event) => setSubject(event.currentTarget.value)}
        />
        <Group gap="sm" grow align="flex-start">
          <TextInput
            label="Sender's address"
            placeholder="The brand's"
            type="email"
            value={email}
            error={
              problemOf('from.email') ??
              (save.error && asFailure(save.error).details.code === 'invalid_from' ? 'This cannot send' : undefined)
            }
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <TextInput
            label="Sender's name"
            placeholder="None"
            disabled={!email.trim()}
            value={name}
            error={problemOf('from.name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Group>
        {save.error ? <FailureNotice error={save.error} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => ask(onClose)}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface DeleteGiven {
  readonly template: Template;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Delete({ template, opened, onClose }: DeleteGiven): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/templates/{key}', { params: { path: { key: template.key } } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      notifyDone(`${template.key} is deleted`);
      queries.removeQueries({ queryKey: [...TEMPLATES, template.key] });
      await queries.invalidateQueries({ queryKey: TEMPLATES });
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${template.key}?`}
      action="Delete for good"
      isFinal
      typed={template.key}
      mutation={remove}
    >
      <Text size="sm">
        It goes with its versions and settings, for all brands. Steps of sequences that send it fail and go on behind it; campaigns that
        have recipients left fail for them. There is no way back.
      </Text>
    </Confirm>
  );
}
