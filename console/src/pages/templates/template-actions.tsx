import { Alert, Group, Menu, Modal, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconAdjustments, IconHistory, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import type { Said } from './content-changes.ts';
import { hasPlaceholder, STILL_PLACEHOLDER } from './placeholder.ts';
import { type MailData, TEMPLATES, type Template, type TemplateContent } from './template-queries.ts';
import { TemplateVersions } from './template-versions.tsx';

interface Given {
  readonly template: Template;
  readonly brand: string | undefined;
}

export type Asked = 'settings' | 'versions' | 'delete';

interface ActionsGiven extends Given {
  /** What its mails say while it is on. */
  readonly sentContent: TemplateContent;
  readonly data: MailData;
  /** Which dialog is open. */
  readonly asked: Asked | undefined;
  readonly onAsk: (asked: Asked | undefined) => void;
  /** What the template came with. */
  readonly firstContent: TemplateContent;
  /** Goes on editing with what a version said. */
  readonly onTake: (said: Said) => void;
}

/** What is set beside what it says, its versions, and the end of a template of one's own. */
export function TemplateActions({ template, brand, firstContent, sentContent, data, asked, onAsk, onTake }: ActionsGiven): ReactNode {
  const close = (): void => onAsk(undefined);
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
          <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => onAsk('delete')}>
            Delete template…
          </Menu.Item>
        ) : null}
      </MoreActions>
      <FormDialog opened={asked === 'settings'} onClose={close} title={`Settings of ${template.key}`}>
        <Settings template={template} brand={brand} sentContent={sentContent} onClose={close} />
      </FormDialog>
      <Modal opened={asked === 'versions'} onClose={close} title={`Versions of ${template.key}`} size={900}>
        <TemplateVersions
          templateKey={template.key}
          brand={brand}
          firstContent={firstContent}
          isOwn={template.own}
          data={data}
          onTake={(said) => {
            close();
            onTake(said);
          }}
        />
      </Modal>
      <Delete template={template} opened={asked === 'delete'} onClose={close} />
    </>
  );
}

interface SettingsGiven extends Given, Pick<ActionsGiven, 'sentContent'> {
  readonly onClose: () => void;
}

function Settings({ template, brand, sentContent, onClose }: SettingsGiven): ReactNode {
  const queries = useQueryClient();
  const [enabled, setEnabled] = useState(template.enabled);
  const [email, setEmail] = useState(template.from?.email ?? '');
  const [name, setName] = useState(template.from?.name ?? '');
  const save = useMutation({
    mutationFn: () =>
      answerOf(
        api.PUT('/templates/{key}', {
          params: { path: { key: template.key } },
          body: {
            enabled,
            from: email.trim() ? { email: email.trim(), ...(name.trim() ? { name: name.trim() } : {}) } : null,
            ...(brand ? { brand } : {}),
          },
        }),
      ),
    onSuccess: async ({ warnings = [] }) => {
      onClose();
      notifyDone([`${template.key} saved`, ...warnings.map(({ message }) => message)].join('. '));
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, 'list'] });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, template.key, 'preview'] });
    },
  });
  const sender = template.from;
  const isChanged = enabled !== template.enabled || email !== (sender?.email ?? '') || name !== (sender?.name ?? '');
  const {
    props,
    errorOf: problemOf,
    close,
  } = useForm({ error: save.error, isPending: save.isPending, isUnsaved: isChanged, onSubmit: save.mutate });
  return (
    <form {...props}>
      <Stack gap="md">
        <Switch
          label="On"
          description="While it is off, nothing is sent with it"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        {enabled && hasPlaceholder(sentContent) ? (
          <Alert color="orange" role="status">
            {STILL_PLACEHOLDER}. Write your own and publish it first.
          </Alert>
        ) : null}
        <Group gap="sm" grow align="flex-start">
          <TextInput
            label="From address"
            placeholder="The brand's sender"
            type="email"
            value={email}
            error={
              problemOf('from.email') ??
              (save.error && asFailure(save.error).details.code === 'invalid_from' ? 'This sender cannot send' : undefined)
            }
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <TextInput
            label="From name"
            placeholder="None"
            disabled={!email.trim()}
            value={name}
            error={problemOf('from.name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Group>
        {save.error ? <FailureNotice error={save.error} /> : null}
        <FormEnd action="Save" isPending={save.isPending} disabled={!isChanged} onCancel={close} />
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
      notifyDone(`${template.key} deleted`);
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
        Its versions and settings are deleted for all brands. Sequence steps that send it fail and continue; campaigns that have recipients
        left fail for them. There is no way back.
      </Text>
    </Confirm>
  );
}
