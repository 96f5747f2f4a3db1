import { ColorInput, Group, NumberInput, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { BLOCK_KINDS } from './block-fields.ts';
import type { Block } from './template-queries.ts';

/** What a block may say of how it looks. */
interface Style {
  readonly align?: string | null;
  readonly color?: string | null;
  readonly background?: string | null;
  readonly spaceAbove?: number | null;
  readonly spaceBelow?: number | null;
}

/** Fields of a block that say how it looks, as the API has them. */
export const STYLE_FIELDS = ['align', 'color', 'background', 'spaceAbove', 'spaceBelow'] as const;

const SIDES = [
  { value: 'left', label: 'Left' },
  { value: 'center', label: 'Center' },
  { value: 'right', label: 'Right' },
];
const MOST_SPACE = 100;

interface Given {
  readonly block: Block;
  readonly problemOf: (name: string) => string | undefined;
  /** undefined: as its kind has it. */
  readonly onChange: (name: string, value: unknown) => void;
}

/** How one block looks: where it stands, its colors, and the distance to others. What is not said is as its kind has it. */
export function BlockStyle({ block, problemOf, onChange }: Given): ReactNode {
  const { label, styles = [] } = BLOCK_KINDS[block.type];
  const { align, color, background, spaceAbove, spaceBelow } = block as Style;
  const usual = block.type === 'image' ? 'center' : 'left';
  const space = (name: 'spaceAbove' | 'spaceBelow', words: string, value: number | null | undefined): ReactNode => (
    <NumberInput
      label={words}
      placeholder="Default"
      allowDecimal={false}
      min={0}
      max={MOST_SPACE}
      value={value ?? ''}
      error={problemOf(name)}
      onChange={(typed) => onChange(name, typeof typed === 'number' ? typed : undefined)}
    />
  );
  return (
    <Stack gap="xs" role="group" aria-label={`${label} style`}>
      {styles.includes('align') ? (
        <Group gap="xs">
          <Text size="sm" fw={500}>
            Alignment
          </Text>
          <SegmentedControl
            size="xs"
            aria-label="Alignment"
            data={SIDES}
            value={align ?? usual}
            onChange={(side) => onChange('align', side === usual ? undefined : side)}
          />
        </Group>
      ) : null}
      {styles.includes('colors') ? (
        <SimpleGrid cols={2} spacing="xs">
          <Color
            label="Text color"
            value={color}
            first="#1f2933"
            problem={problemOf('color')}
            onChange={(value) => onChange('color', value)}
          />
          <Color
            label={block.type === 'button' ? 'Button color' : 'Background'}
            value={background}
            first="#fde68a"
            problem={problemOf('background')}
            onChange={(value) => onChange('background', value)}
          />
        </SimpleGrid>
      ) : null}
      <SimpleGrid cols={2} spacing="xs">
        {space('spaceAbove', 'Space above (px)', spaceAbove)}
        {space('spaceBelow', 'Space below (px)', spaceBelow)}
      </SimpleGrid>
    </Stack>
  );
}

const OTHER = 'other';
/** What is stored, and what people read. */
const NAMED = [
  { value: '', label: 'Default' },
  { value: 'primary', label: "The brand's color" },
  { value: 'text', label: 'Text color' },
  { value: 'muted', label: 'Muted' },
  { value: 'background', label: 'Light gray' },
  { value: OTHER, label: 'Another color…' },
];

interface ColorGiven {
  readonly label: string;
  readonly value: string | null | undefined;
  /** What another color begins with. */
  readonly first: string;
  readonly problem: string | undefined;
  readonly onChange: (color: string | undefined) => void;
}

/** A color by its name, which dark mails have another one for, or one that is chosen freely. */
function Color({ label, value, first, problem, onChange }: ColorGiven): ReactNode {
  const isNamed = !value || NAMED.some((one) => one.value === value);
  // While it is typed it may be nothing.
  const [isOther, setIsOther] = useState(!isNamed);
  const shownOther = isOther || !isNamed;
  const choose = (chosen: string | null): void => {
    setIsOther(chosen === OTHER);
    onChange(chosen === OTHER ? first : chosen || undefined);
  };
  return (
    <Stack gap={6}>
      <Select
        label={label}
        data={NAMED}
        allowDeselect={false}
        value={shownOther ? OTHER : (value ?? '')}
        error={shownOther ? undefined : problem}
        onChange={choose}
      />
      {shownOther ? (
        <ColorInput
          withEyeDropper={false}
          aria-label={`${label}, another`}
          value={value ?? ''}
          error={problem}
          onChange={(color) => onChange(color || undefined)}
        />
      ) : null}
    </Stack>
  );
}
