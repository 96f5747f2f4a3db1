import { SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { jsonFault } from '../../../frame/json-fault.ts';
import type { NodeKind } from '../graph/node-kinds.ts';
import type { GraphNode } from '../sequence-queries.ts';
import classes from '../sequences.module.css';
import type { Also } from './config-form.ts';
import { FaultsBeside } from './faults.tsx';
import { forgetTyped, noteProblems, problemsWith } from './form-problems.ts';
import { FORMS } from './forms/config-forms.ts';

interface Given {
  readonly node: GraphNode;
  readonly onChange: (config: GraphNode['config'], also?: Also) => void;
}

/** What a form shows as it is stored, also where that cannot be. */
const STORED = ['arms', 'set'];

/** The settings of a step: by the form of its kind, where there is one for what they are, or as JSON. */
export function ConfigEditor({ node, onChange }: Given): ReactNode {
  const form = FORMS[node.kind as NodeKind];
  const [isJson, setIsJson] = useState(false);
  useState(() => forgetTyped(node.config, STORED));
  if (node.kind === 'trigger' || node.kind === 'exit') return <FaultsBeside fields={[]} />;
  const config = node.config ?? {};
  const Form = form?.fits(config) ? form.Form : undefined;
  const byForm = (next: typeof config, also?: Also): void => {
    noteProblems(next, also?.problems ?? {}, node.config);
    // A goal without a condition has no settings.
    onChange(node.kind === 'goal' && Object.keys(next).length === 0 && problemsWith(next).length === 0 ? undefined : next, also);
  };
  return (
    <Stack gap="sm">
      <FaultsBeside fields={form && Form && !isJson ? form.fields : []} />
      {Form ? (
        <SegmentedControl
          size="xs"
          aria-label="Settings as"
          data={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          value={isJson ? 'json' : 'form'}
          onChange={(value) => setIsJson(value === 'json')}
        />
      ) : null}
      {Form && !isJson ? <Form config={config} onChange={byForm} /> : <JsonConfig node={node} onChange={onChange} />}
    </Stack>
  );
}

function JsonConfig({ node, onChange }: Given): ReactNode {
  const stored = node.config === undefined ? '' : JSON.stringify(node.config, null, 2);
  const [text, setText] = useState(stored);
  const [shown, setShown] = useState(node.config);
  const [problem, setProblem] = useState<string>();
  // Undone, or changed otherwise.
  if (node.config !== shown) {
    setShown(node.config);
    setText(stored);
    setProblem(undefined);
  }
  const type = (next: string): void => {
    setText(next);
    try {
      const config = next.trim() === '' ? undefined : (JSON.parse(next) as GraphNode['config']);
      setProblem(undefined);
      setShown(config);
      onChange(config);
    } catch (error) {
      setProblem(jsonFault(next) ?? (error as Error).message);
    }
  };
  return (
    <>
      <Textarea
        label="Settings"
        size="xs"
        autosize
        minRows={5}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: classes.mono }}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        error={problem}
      />
      {problem ? (
        <Text size="xs" c="dimmed">
          The last valid settings are kept until this is valid JSON.
        </Text>
      ) : null}
    </>
  );
}
