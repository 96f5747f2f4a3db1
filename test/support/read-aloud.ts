import type { Page } from 'playwright-core';

/** What somebody who does not see the page is told of as a thing to use or a part to go to, and so by its name. */
const NAMED =
  'button|link|textbox|searchbox|combobox|spinbutton|checkbox|radio|radiogroup|switch|slider|tab|menuitem|option|dialog|table|progressbar|figure|navigation|region';
const NAMELESS = new RegExp(`^\\s*- (?:${NAMED})(?: \\[[^\\]]*\\])*:?$`);

/** The page as its accessibility tree has it, a line for each thing. */
export async function readAloud(page: Page): Promise<string> {
  return page.locator('body').ariaSnapshot();
}

/** The things of the tree that have no name, each with what stands in it. */
export function namelessIn(snapshot: string): string[] {
  const lines = snapshot.split('\n');
  return lines.flatMap((line, at) =>
    NAMELESS.test(line)
      ? [
          lines
            .slice(at, at + 3)
            .join(' ')
            .trim(),
        ]
      : [],
  );
}
