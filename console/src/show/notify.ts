import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

/** Says in a corner that something was done. */
export function notifyDone(message: ReactNode): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, withBorder: true, closeButtonProps: { 'aria-label': 'Close' } });
}

/** Says in a corner that something could not be done, and stays until it is closed. */
export function notifyFailed(message: string): void {
  notifications.show({ message, color: 'red', autoClose: false, withBorder: true, closeButtonProps: { 'aria-label': 'Close' } });
}
