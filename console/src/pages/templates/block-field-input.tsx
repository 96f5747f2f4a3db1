import { ActionIcon, Button, Group, Input, NumberInput, SegmentedControl, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { BlockField } from './block-fields.ts';
import { ONE_LINE } from './edit/one-line.ts';
import type { UploadedImage } from './images/image-queries.ts';
import { ImageSource } from './images/image-source.tsx';
import { RichText } from './rich/rich-text.tsx';
import { webAddress } from './rich/web-address.ts';

const LEVELS = [
  { value: '1', label: 'Large' },
  { value: '2', label: 'Medium' },
  { value: '3', label: 'Small' },
];
const MOST_COLUMNS = 8;

interface Cell {
  readonly header: string;
  readonly value: string;
}

interface Given {
  readonly field: BlockField;
  readonly value: unknown;
  readonly problem: string | undefined;
  /** undefined: it is left out. */
  readonly onChange: (value: unknown) => void;
  readonly onTakeImage: (image: UploadedImage) => void;
  /** Of a text: its lines become the items of a list. */
  readonly onMakeList: () => void;
}

/** The input of one value of a block. */
export function BlockFieldInput({ field, value, problem, onChange, onTakeImage, onMakeList }: Given): ReactNode {
  const { label, note, isOptional = false } = field;
  // What a block is mostly made of needs no label for those who see it.
  const isMain = field.name === 'text';
  const shared = {
    label: isMain ? undefined : label,
    'aria-label': isMain ? label : undefined,
    description: note,
    error: problem,
  };
  const text = typeof value === 'string' ? value : '';
  const setText = (typed: string): void => onChange(isOptional && typed === '' ? undefined : typed);
  switch (field.edited) {
    case 'text':
      return (
        <TextInput
          {...shared}
          name={field.name}
          placeholder={field.placeholder}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      );
    case 'rich':
      return <RichText label={label} value={text} problem={problem} onChange={setText} onMakeList={onMakeList} />;
    case 'line':
      return (
        <Textarea
          {...shared}
          {...ONE_LINE}
          name={field.name}
          autosize
          minRows={1}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      );
    case 'address':
      return (
        <TextInput
          {...shared}
          name={field.name}
          placeholder={field.placeholder}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={() => (webAddress(text) === text ? undefined : setText(webAddress(text)))}
        />
      );
    case 'long':
      return (
        <Textarea {...shared} autosize minRows={2} maxRows={14} value={text} onChange={(event) => setText(event.currentTarget.value)} />
      );
    case 'lines':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          value={Array.isArray(value) ? value.join('\n') : ''}
          onChange={(event) => onChange(event.currentTarget.value.split('\n'))}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...shared}
          allowDecimal={false}
          min={1}
          placeholder={isOptional ? 'Full width' : undefined}
          value={typeof value === 'number' ? value : ''}
          onChange={(typed) => onChange(typeof typed === 'number' ? typed : undefined)}
        />
      );
    case 'switch':
      return (
        <Switch label={label} size="sm" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked || undefined)} />
      );
    case 'level':
      return (
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label={label}
          data={LEVELS}
          value={String(value ?? 1)}
          onChange={(level) => onChange(Number(level))}
        />
      );
    case 'picture':
      return (
        <ImageSource label={label} placeholder={field.placeholder} value={text} problem={problem} onType={setText} onTake={onTakeImage} />
      );
    case 'cells':
      return <Cells label={label} cells={Array.isArray(value) ? (value as Cell[]) : []} problem={problem} onChange={onChange} />;
    default:
      return field.edited satisfies never;
  }
}

interface CellsGiven {
  readonly label: string;
  readonly cells: readonly Cell[];
  readonly problem: string | undefined;
  readonly onChange: (cells: readonly Cell[]) => void;
}

function Cells({ label, cells, problem, onChange }: CellsGiven): ReactNode {
  const set = (index: number, change: Partial<Cell>): void =>
    onChange(cells.map((cell, at) => (at === index ? { ...cell, ...change } : cell)));
  return (
    <Stack gap={6} role="group" aria-label={label}>
      {cells.map((cell, index) => (
        <Group key={index} gap={6} wrap="nowrap">
          <TextInput
            aria-label={`Header of column ${index + 1}`}
            placeholder="Header"
            flex={1}
            value={cell.header}
            onChange={(event) => set(index, { header: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Value of column ${index + 1}`}
            placeholder="{{ row.name }}"
            flex={2}
            value={cell.value}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            disabled={cells.length === 1}
            onClick={() => onChange(cells.toSpliced(index, 1))}
            aria-label={`Remove column ${index + 1}`}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </Group>
      ))}
      {problem ? <Input.Error>{problem}</Input.Error> : null}
      {cells.length < MOST_COLUMNS ? (
        <Button
          variant="default"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...cells, { header: '', value: '' }])}
        >
          Add column
        </Button>
      ) : null}
    </Stack>
  );
}
