/** Computes where a popover opens beside its button from measurements of its caller. */

/** Space that a popover needs below its anchor and to its right, px. */
const POPOVER_HEIGHT = 400;
const POPOVER_WIDTH = 352;
export interface PopoverPlace {
  side: 'above' | 'below';
  align: 'left' | 'right';
}

/** Above with less than 400 px below, aligned right with less than 352 px to the right. */
export function popoverPlace(
  anchor: { bottom: number; left: number },
  view: { width: number; height: number },
): PopoverPlace {
  return {
    side: view.height - anchor.bottom < POPOVER_HEIGHT ? 'above' : 'below',
    align: view.width - anchor.left < POPOVER_WIDTH ? 'right' : 'left',
  };
}
