/** Whether the menu is open: by the header's toggle, or by More in the bottom bar. */
import { proxy } from 'valtio';

export const menu = proxy({ open: false });

export function openMenu(): void {
  menu.open = true;
}

export function closeMenu(): void {
  menu.open = false;
}
