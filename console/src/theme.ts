import type {
  Alert,
  Anchor,
  Autocomplete,
  Badge,
  Combobox,
  CSSVariablesResolver,
  Input,
  Loader,
  MantineColorsTuple,
  MantineThemeComponent,
  Menu,
  Modal,
  NavLink,
  Notification,
  SegmentedControl,
  Select,
  Table,
  TagsInput,
  Tooltip,
} from '@mantine/core';
import { createTheme } from '@mantine/core';
import { Pressable } from './show/pressable.tsx';

/** The one accent. */
const iris: MantineColorsTuple = [
  '#f2f2fe',
  '#e3e3fb',
  '#c8c8f6',
  '#aaaaf0',
  '#8e8eea',
  '#7373e2',
  '#5b5bd6',
  '#4a4abf',
  '#3d3da0',
  '#2d2d78',
];
/** Neutral, hardly cool: pages are mostly text and lines. */
const gray: MantineColorsTuple = [
  '#f9f9fa',
  '#f2f2f4',
  '#e7e7ea',
  '#e2e2e6',
  '#cfcfd6',
  '#a3a3ad',
  '#757580',
  '#5f5f69',
  '#3c3c44',
  '#1d1d22',
];
const dark: MantineColorsTuple = [
  '#ececf0',
  '#c9c9d1',
  '#a0a0ab',
  '#76767f',
  '#2e2e35',
  '#26262c',
  '#1c1c21',
  '#161619',
  '#101013',
  '#0b0b0d',
];

/** A tint and a thin line rather than a filled box, which shouts in the dark. */
function calmAlert(_: unknown, { color = 'gray' }: { readonly color?: string }) {
  const shade = (step: number): string => `var(--mantine-color-${color}-${step})`;
  const mixed = (step: number, percent: number, other: string): string => `color-mix(in srgb, ${shade(step)} ${percent}%, ${other})`;
  return {
    root: {
      '--alert-bg': `light-dark(${shade(0)}, ${mixed(9, 13, 'var(--mantine-color-body)')})`,
      '--alert-color': `light-dark(${mixed(9, 75, 'black')}, ${shade(3)})`,
      '--alert-bd': `1px solid light-dark(${shade(2)}, ${mixed(9, 45, 'var(--mantine-color-body)')})`,
    },
  };
}

/** All fields are alike, whatever their size is called; global.css has it, as a phone has its own. */
const FIELD = {
  '--input-height': 'var(--console-field-height)',
  '--input-fz': 'var(--console-field-font-size)',
  '--input-padding-y': 'calc((var(--console-field-height) - 1.5rem) / 2)',
};

/** Where menus and what a field offers are put: within the page's main landmark, so that nobody who goes by landmarks misses them. */
const OVERLAYS = '#overlays';
/** The list itself scrolls, as its field has the keys for: a box around it would have to take the focus. */
const LISTING = { defaultProps: { withScrollArea: false }, styles: { options: { maxHeight: 220, overflowY: 'auto' } } } as const;

const SYSTEM_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif';

interface Themed {
  // biome-ignore lint/suspicious/noExplicitAny: each component has its own
  readonly extend: (input: any) => MantineThemeComponent;
}

/** What a component is given by default; a type is enough for it, so that no page loads what it does not show. */
function of<Component extends Themed>(input: Parameters<Component['extend']>[0]): MantineThemeComponent {
  return input;
}

/** Dense and calm: 13 and 14 px, thin lines, one accent. */
export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 6, dark: 6 },
  colors: { iris, gray, dark },
  autoContrast: true,
  respectReducedMotion: true,
  fontFamily: SYSTEM_FONT,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.5' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  defaultRadius: 'md',
  radius: { xs: '0.25rem', sm: '0.3125rem', md: '0.4375rem', lg: '0.625rem', xl: '0.875rem' },
  headings: {
    fontFamily: SYSTEM_FONT,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  components: {
    Alert: of<typeof Alert>({ vars: calmAlert }),
    ActionIcon: { defaultProps: { component: Pressable, variant: 'subtle', color: 'gray', size: 'md' } },
    Anchor: of<typeof Anchor>({ defaultProps: { underline: 'hover' } }),
    Badge: of<typeof Badge>({ defaultProps: { variant: 'default', radius: 'sm', tt: 'none', fw: 500, size: 'md' } }),
    Button: { defaultProps: { component: Pressable, size: 'xs' }, styles: { label: { fontWeight: 500 } } },
    // What nobody has typed is no fault, whatever is said below it.
    Input: of<typeof Input>({
      vars: () => ({ wrapper: FIELD }),
      styles: { wrapper: { '--input-placeholder-color': 'var(--mantine-color-placeholder)' } },
    }),
    // Help stands where it moves no input out of its row.
    InputWrapper: of<typeof Input.Wrapper>({ defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } }),
    InputLabel: of<typeof Input.Label>({ vars: () => ({ label: { '--input-label-size': 'var(--mantine-font-size-sm)' } }) }),
    Loader: of<typeof Loader>({ defaultProps: { size: 'sm' } }),
    // Its placeholder for the focus is no child that a menu may have; without it the first item has the focus.
    Menu: of<typeof Menu>({ defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: OVERLAYS } } }),
    Combobox: of<typeof Combobox>({ defaultProps: { portalProps: { target: OVERLAYS } } }),
    // Else a banner, of which a page has one.
    ModalHeader: { defaultProps: { component: 'div' } },
    Modal: of<typeof Modal>({
      defaultProps: {
        centered: true,
        padding: 'lg',
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { duration: 120 },
      },
      styles: { title: { fontWeight: 600, fontSize: '0.9375rem', lineHeight: 1.35, overflowWrap: 'anywhere', minWidth: 0 } },
    }),
    Notification: of<typeof Notification>({ styles: { description: { overflowWrap: 'anywhere' } } }),
    NavLink: of<typeof NavLink>({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Table: of<typeof Table>({ defaultProps: { verticalSpacing: 7, horizontalSpacing: 'sm', fz: 'sm' } }),
    Tooltip: of<typeof Tooltip>({ defaultProps: { openDelay: 250, fz: 'xs', withArrow: false } }),
    // The check of what is chosen moves its label out of the column of the others.
    Select: of<typeof Select>({ ...LISTING, defaultProps: { ...LISTING.defaultProps, withAlignedLabels: true } }),
    Autocomplete: of<typeof Autocomplete>(LISTING),
    TagsInput: of<typeof TagsInput>(LISTING),
    // Its labels lie above each other, and not above a page's bar.
    SegmentedControl: of<typeof SegmentedControl>({ styles: { root: { isolation: 'isolate' } } }),
  },
});

/** Quieter lines and text than Mantine's own; all of it has a contrast of at least 4.5. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': '#1c1c21',
    '--mantine-color-dimmed': '#64646e',
    '--mantine-color-placeholder': '#73737d',
    '--mantine-color-default-border': '#e2e2e6',
    '--mantine-color-anchor': '#4a4abf',
    '--mantine-color-error': '#c92f2f',
    '--console-line': '#ededf0',
  },
  dark: {
    '--mantine-color-body': '#121215',
    '--mantine-color-text': '#e6e6ea',
    '--mantine-color-dimmed': '#9b9ba6',
    '--mantine-color-placeholder': '#85858f',
    '--mantine-color-default': '#19191d',
    '--mantine-color-default-hover': '#222227',
    '--mantine-color-default-border': '#2b2b31',
    '--mantine-color-anchor': '#b4b4ff',
    '--mantine-color-error': '#f08080',
    '--console-line': '#222227',
  },
});
