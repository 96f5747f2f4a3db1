import { Alert, Group, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { LONGEST_NAME } from '../../api/limits.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { hasPlaceholder, STILL_PLACEHOLDER } from './placeholder.ts';
import { TEMPLATES, type Template, type TemplateContent } from './template-queries.ts';

interface Given {
  readonly template: Template;
  readonly brand: string | undefined;
  /** What its mails say while it is on. */
  readonly sentContent: TemplateContent;
  readonly onClose: () => void;
}

/** Whether a template is on, whom its emails come from, and of one's own what it is called. */
export function Settings({ template, brand, sentContent, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const [enabled, setEnabled] = useState(template.enabled);
  const [email, setEmail] = useState(template.from?.email ?? '');
  const [name, setName] = useState(template.from?.name ?? '');
  const [title, setTitle] = useState(template.name);
  const [description, setDescription] = useState(template.description);
  const isRenamed = title !== template.name || description !== template.description;
  const save = useMutation({
    mutationFn: async () => {
      const params = { path: { key: template.key } };
      if (isRenamed)
        await answerOf(api.PATCH('/templates/{key}', { params, body: { name: title.trim(), description: description.trim() } }));
      return answerOf(
        api.PUT('/templates/{key}', {
          params,
          body: {
            enabled,
            from: email.trim() ? { email: email.trim(), ...(name.trim() ? { name: name.trim() } : {}) } : null,
            ...(brand ? { brand } : {}),
          },
        }),
      );
    },
    onSuccess: async ({ warnings = [] }) => {
      onClose();
      notifyDone([`${title.trim() || template.key} saved`, ...warnings.map(({ message }) => message)].join('. '));
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, 'list'] });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, template.key, 'preview'] });
    },
  });
  const sender = template.from;
  const isChanged = isRenamed || enabled !== template.enabled || email !== (sender?.email ?? '') || name !== (sender?.name ?? '');
  const {
    props,
    errorOf: problemOf,
    close,
  } = useForm({
    faults: { name: template.own && !title.trim() ? 'Enter a name' : undefined },
    error: save.error,
    isPending: save.isPending,
    isUnsaved: isChanged,
    onSubmit: save.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        {template.own ? (
          <>
            <TextInput
              label="Name"
              maxLength={LONGEST_NAME}
              required
              value={title}
              error={problemOf('name')}
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
            <Textarea
              label="Description"
              maxLength={1000}
              autosize
              minRows={1}
              value={description}
              error={problemOf('description')}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
          </>
        ) : null}
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
