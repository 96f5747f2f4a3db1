import { Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { choicesOf } from '../../../../frame/choices.ts';
import { byNameOrKey, namedChoice } from '../../../../frame/named-choice.ts';
import { useSession } from '../../../../session/session.tsx';
import { VariablePicker } from '../../../templates/edit/variable-picker.tsx';
import { type TemplateField, templateSchemaQuery, templatesQuery } from '../../../templates/template-queries.ts';
import { TopicSelect } from '../../../topics/topic-select.tsx';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import type { FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';
import { withUnknown } from './choices.ts';
import type { Data } from './data-paths.ts';
import { MailData } from './mail-data.tsx';
import { withField } from './with-field.ts';

/** What was sent when another template was chosen. */
interface Before {
  readonly next: string;
  readonly data: Data | undefined;
}

/** Which mail a step sends, and with what. */
export function SendForm({ config, onChange }: FormGiven): ReactNode {
  const { template, subject = '', brand, topic, data } = config as ConfigOf<'send_email'>;
  const { data: templates } = useQuery(templatesQuery(brand ?? undefined));
  const [before, setBefore] = useState<Before>();
  const chosen = templates?.find(({ key }) => key === template);
  const choose = (next: string | null): void => {
    if (next === null || next === template) return;
    setBefore({ data: data ?? undefined, next });
    // What was wrong with the data was so for the fields of that template.
    onChange({ ...config, template: next }, { problems: { data: undefined } });
  };
  return (
    <Stack gap="sm">
      <Select
        label="Template"
        placeholder={templates ? 'Choose a template' : 'Loading templates'}
        size="xs"
        searchable
        allowDeselect={false}
        filter={byNameOrKey}
        nothingFoundMessage="No matching templates"
        data={withUnknown(
          templates?.map(({ key, name, enabled }) => {
            const { value, label } = namedChoice({ key, name });
            return { value, label: enabled ? label : `${label} (off)` };
          }),
          template,
        )}
        value={template || null}
        error={useFault('template')}
        description={chosen && !chosen.enabled ? 'This template is off. Its emails fail until you turn it on' : undefined}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        onChange={choose}
      />
      {chosen ? <Variables template={template} brand={brand ?? undefined} /> : null}
      <TextInput
        data-content
        label="Subject"
        placeholder="Same as the template"
        size="xs"
        value={subject}
        error={useFault('subject')}
        onChange={(event) => onChange(withField(config, 'subject', event.currentTarget.value))}
      />
      <TypeSelect config={config} onChange={onChange} />
      <BrandSelect config={config} onChange={onChange} />
      <TopicSelect
        size="xs"
        value={topic ?? null}
        error={useFault('topic')}
        onChange={(value) => onChange(withField(config, 'topic', value))}
      />
      {chosen ? (
        <MailData
          key={template}
          template={template}
          brand={brand ?? undefined}
          data={data ?? undefined}
          replaced={before?.next === template ? before.data : undefined}
          onChange={(next, problem) => onChange(withField(config, 'data', next), { problems: { data: problem } })}
        />
      ) : null}
    </Stack>
  );
}

/** Those that `{{` offers in the subject. */
function Variables({ template, brand }: { readonly template: string; readonly brand: string | undefined }): ReactNode {
  const { data } = useQuery(templateSchemaQuery(template, brand));
  return <VariablePicker fields={data?.dataSchema ?? NO_FIELDS} />;
}

const NO_FIELDS: readonly TemplateField[] = [];

type MailType = NonNullable<ConfigOf<'send_email'>['type']>;

const TYPES: Readonly<Record<MailType, string>> = { transactional: 'Transactional', marketing: 'Marketing' };

function TypeSelect({ config, onChange }: FormGiven): ReactNode {
  return (
    <Select
      label="Type"
      placeholder="Same as the template"
      size="xs"
      clearable
      data={choicesOf(TYPES)}
      value={(config as ConfigOf<'send_email'>).type ?? null}
      onChange={(value) => onChange(withField(config, 'type', value))}
    />
  );
}

/** Nothing where there is but one, and none is set. */
function BrandSelect({ config, onChange }: FormGiven): ReactNode {
  const { brands } = useSession();
  const { brand } = config as ConfigOf<'send_email'>;
  const fault = useFault('brand');
  if (brands.length <= 1 && !brand) return null;
  return (
    <Select
      label="Brand"
      placeholder="Each contact's brand"
      size="xs"
      clearable
      data={withUnknown(
        brands.map(({ slug, name }) => ({ value: slug, label: name })),
        brand ?? '',
      )}
      value={brand ?? null}
      error={fault}
      onChange={(value) => onChange(withField(config, 'brand', value))}
    />
  );
}
