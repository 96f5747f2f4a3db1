/** Listeners of one project at once. */
export const MOST_LISTENERS = 10;
/** A listener by whom nobody has asked for so long is over: nothing more is kept for it. */
export const LISTENER_SECONDS = 120;
/** A call waits at most so long for something to happen. */
export const MOST_WAIT_SECONDS = 25;
/** Handed out at once. */
export const MOST_HANDED_OUT = 50;
/** Of what was answered the latest are kept, while the listener is there. */
export const MOST_ANSWERED = 200;
/** What was handed out and not told as done by then is handed out again. */
export const HANDED_OUT_SECONDS = 60;
