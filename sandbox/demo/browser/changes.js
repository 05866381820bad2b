/**
 * Calls `changed` whenever the screen may have changed, and whenever the tab is shown again. A hidden tab closes its connection:
 * a browser opens six to one address, and each **Open Slack** leaves a tab behind.
 *
 * @param {() => void} changed
 */
export function followChanges(changed) {
  /** @type {EventSource | undefined} */
  let stream;
  const follow = () => {
    if (document.hidden) {
      stream?.close();
      stream = undefined;
    } else if (stream === undefined) {
      stream = new EventSource('/changes');
      // The server sends one event immediately, which also covers changes made in the meantime.
      stream.addEventListener('message', changed);
    }
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}
