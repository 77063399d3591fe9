/** Shares a text by the device's share sheet, or copies it where there is none. */

/** `title` is for the share sheet; `url` leads to a public page. */
export interface Shared {
  title: string;
  text: string;
  url: string;
}

/**
 * `shared`: by the sheet. `copied`: to the clipboard. `dropped`: the user closed the sheet.
 * `failed`: neither worked.
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
      // A desktop may have the function without a sheet.
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
