import type { Block } from '../template-queries.ts';

/** The text that a block mostly is. */
export interface TextField {
  readonly label: string;
  readonly text: string;
  /** Pixels, as mails have it. */
  readonly fontSize: number;
  readonly isBold: boolean;
  /** Enter begins no other line. */
  readonly isOneLine?: boolean;
  readonly with: (text: string) => Block;
}

const HEADINGS = [26, 20, 16] as const;

/** undefined: the block is no text. */
export function textField(block: Block): TextField | undefined {
  const plain = { fontSize: 16, isBold: false };
  switch (block.type) {
    case 'heading':
      return {
        ...{ label: 'Heading', text: block.text, fontSize: HEADINGS[(block.level ?? 1) - 1] ?? 26, isBold: true, isOneLine: true },
        with: (text) => ({ ...block, text }),
      };
    case 'text':
      return { ...plain, label: 'Text', text: block.text, with: (text) => ({ ...block, text }) };
    case 'quote':
      return { ...plain, label: 'Quote', text: block.text, with: (text) => ({ ...block, text }) };
    case 'code':
      return {
        label: 'One-time code',
        text: block.text,
        fontSize: 26,
        isBold: true,
        isOneLine: true,
        with: (text) => ({ ...block, text }),
      };
    case 'button':
      return {
        ...plain,
        label: 'Button text',
        text: block.label,
        isBold: true,
        isOneLine: true,
        with: (label) => ({ ...block, label }),
      };
    case 'list':
      return {
        ...plain,
        label: 'Items (one per line)',
        text: block.items.join('\n'),
        with: (text) => ({ ...block, items: text.split('\n') }),
      };
    default:
      return undefined;
  }
}
