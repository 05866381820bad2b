/**
 * Calls `changed` whenever the screen may be another, and each time the tab is shown again. A hidden tab gives its connection back:
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
      // The server sends one at once, which also shows what has changed meanwhile.
      stream.addEventListener('message', changed);
    }
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}
