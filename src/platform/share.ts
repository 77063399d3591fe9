/** Shares a text by the device's share sheet, or copies it where there is none. */

/** `title` is for the sheet's head; `url` leads to a public page. */
export interface Shared {
  title: string;
  text: string;
  url: string;
}

/**
 * `shared`: the sheet took it. `copied`: it is on the clipboard. `dropped`: the person closed the
 * sheet. `failed`: neither could be had.
 */
export type ShareEnd = 'shared' | 'copied' | 'dropped' | 'failed';

type SharePort = Partial<Pick<Navigator, 'share' | 'canShare'>> & {
  clipboard?: Pick<Clipboard, 'writeText'>;
};

export async function shareOut(what: Shared, port: SharePort = navigator): Promise<ShareEnd> {
  if (typeof port.share === 'function' && port.canShare?.(what) !== false) {
    try {
      await port.share(what);
      return 'shared';
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return 'dropped';
      // A desktop may have the call and no sheet behind it.
    }
  }
  try {
    if (port.clipboard === undefined) return 'failed';
    await port.clipboard.writeText(`${what.text} ${what.url}`);
    return 'copied';
  } catch {
    return 'failed';
  }
}
