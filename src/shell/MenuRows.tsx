/** The rows that the rail of wide screens and the menu have in common. */
import { CircleStop, Search } from 'lucide-react';
import { Link } from 'wouter';
import { classes } from '../components/class-names.ts';
import type { MenuLink } from './menu-links.ts';
import { isCurrent } from './navigation.ts';
import { preload } from './routes.ts';
import { MODIFIER, openPalette } from './shortcuts.ts';

export const ROW = 'flex min-h-11 items-center gap-3 rounded-md px-3 pointer-fine:min-h-9';

/** One screen of a group, in the rail and in the menu. */
export function GroupLink({
  link,
  path,
  onFollow,
}: {
  link: MenuLink;
  path: string;
  onFollow?: () => void;
}) {
  const Icon = link.icon;
  const current = isCurrent(path, link.to);
  return (
    <Link
      href={link.to}
      onClick={onFollow}
      onPointerEnter={() => {
        void preload(link.to);
      }}
      aria-current={current ? 'page' : undefined}
      className={classes(
        ROW,
        current
          ? 'bg-accent-wash font-medium text-accent'
          : 'text-ink-2 hover:bg-sunken hover:text-ink',
      )}
    >
      <Icon className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />
      {link.label}
    </Link>
  );
}

/** Opens the command palette, for users without a keyboard. */
export function FindButton({ onPress }: { onPress?: () => void }) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts={MODIFIER === '⌘' ? 'Meta+K' : 'Control+K'}
      onClick={() => {
        onPress?.();
        openPalette();
      }}
      className={classes(ROW, 'w-full text-left text-ink-2 hover:bg-sunken hover:text-ink')}
    >
      <Search className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />
      Find
      <kbd aria-hidden className="ml-auto hidden font-sans text-xs text-ink-3 pointer-fine:block">
        {MODIFIER} K
      </kbd>
    </button>
  );
}

export function StopAllLink({ onFollow }: { onFollow?: () => void }) {
  return (
    <Link
      href="/stop-all"
      onClick={onFollow}
      className={classes(ROW, 'text-danger hover:bg-danger-wash')}
    >
      <CircleStop className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />
      Stop all agents
    </Link>
  );
}
