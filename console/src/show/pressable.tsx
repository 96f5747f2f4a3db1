import { type ComponentProps, type ReactNode, useState } from 'react';

type Given = ComponentProps<'button'>;

/**
 * A button that keeps the focus when it can no longer be pressed, as while its call is under way or when all is saved: whoever has it in focus would
 * be thrown to the head of the page by `disabled`, which it is once the focus has gone on.
 */
export function Pressable({ type = 'button', disabled, onClick, onFocus, onBlur, ...others }: Given): ReactNode {
  const [hasFocus, setHasFocus] = useState(false);
  const isKept = disabled && hasFocus;
  return (
    <button
      {...others}
      // Given as undefined it would be a submit button.
      type={type}
      disabled={disabled && !hasFocus}
      aria-disabled={isKept || others['aria-disabled']}
      onClick={(event) => {
        // Also so that Enter in a field of its form sends nothing.
        if (isKept) event.preventDefault();
        else onClick?.(event);
      }}
      onFocus={(event) => {
        setHasFocus(true);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setHasFocus(false);
        onBlur?.(event);
      }}
    />
  );
}
