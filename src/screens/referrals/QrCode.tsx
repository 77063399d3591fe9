/** An address as a QR code, drawn as one path, always black on white for cameras. */
import qrcode from 'qrcode-generator';
import { useMemo } from 'react';

/** Width of the quiet zone around the code, in modules. */
const QUIET = 4;

/** One path of unit squares, row by row. */
export function modulesPath(text: string): { path: string; size: number } {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  let path = '';
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1)
      if (code.isDark(row, column)) path += `M${column + QUIET} ${row + QUIET}h1v1h-1z`;
  }
  return { path, size: count + 2 * QUIET };
}

export default function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => modulesPath(text), [text]);
  return (
    // Dark on light in both themes: many readers cannot read inverted codes.
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className="size-44 rounded-md border border-line"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
