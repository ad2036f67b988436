/**
 * The channel to the process that started this one carries no messages. It closes when that process is gone, even by
 * SIGKILL: then `onGone` runs, so that nothing is left behind. Started by hand there is no channel, and no call.
 */
export function holdLifeline(onGone: () => void): void {
  if (process.channel === undefined) return;
  process.once("disconnect", onGone);
  process.channel?.unref(); // waiting for it must not keep this process alive
}
