/** Colours of the page's tokens for a canvas. */

let pen: CanvasRenderingContext2D | null | undefined;

/** One pixel for all colours: each canvas costs a phone a millisecond. */
function onePixel(): CanvasRenderingContext2D | null {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  return canvas.getContext('2d', { willReadFrequently: true });
}

/** A token as computed by the browser: the library knows rgb, not OKLCH. */
export function colour(name: string, alpha = 1): string {
  pen ??= onePixel();
  if (pen === null) return 'gray';
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  pen.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = pen.getImageData(0, 0, 1, 1).data;
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
