import { notifications } from '@mantine/notifications';

/** Says in a corner that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, withBorder: true, closeButtonProps: { 'aria-label': 'Close' } });
}
