/**
 * Where the focus goes when the row of the tray, or of the failed stops, that has it leaves: never to
 * the page's beginning.
 */

/**
 * Called before the row goes: what is returned moves the focus, where nobody has moved it since, to
 * the last button of the row after it or before it, else to the tray's toggle, else to the content.
 */
export function focusAfter(button: HTMLElement): () => void {
  if (document.activeElement !== button) return () => undefined;
  const row = button.closest('li');
  const tray = row?.closest('section');
  const neighbours = [row?.nextElementSibling, row?.previousElementSibling];
  return () => {
    const { activeElement, body } = document;
    if (activeElement !== button && activeElement !== body) return;
    const buttons = neighbours.map((one) => [...(one?.querySelectorAll('button') ?? [])].at(-1));
    const toggle = tray?.querySelector<HTMLElement>('[data-act=tray]');
    const content = document.getElementById('content');
    // The toggle goes with the last row.
    const places = neighbours.some(Boolean) ? [...buttons, toggle, content] : [content];
    places.find((place) => place?.isConnected)?.focus({ preventScroll: true });
  };
}
