/** The left rail of wide screens and the bottom bar of phones, whose More opens the menu. */
import { Ellipsis } from 'lucide-react';
import { Link } from 'wouter';
import { classes } from '../components/class-names.ts';
import { latePart, LatePart } from '../components/LatePart.tsx';
import { isWide, useWide } from '../components/use-wide.ts';
import { openMenu } from './menu-state.ts';
import { BAR_LINKS, isCurrent } from './navigation.ts';

const railLinks = latePart('the rail', async () => (await import('./RailLinks.tsx')).RailLinks);

/** The code of the rail where this window shows one, so that it is in the first picture. */
export async function loadRail(): Promise<void> {
  if (isWide()) await railLinks.load();
}

/** Phones have the menu instead, and neither draw nor load what stands in the rail. */
export function Rail({ path }: { path: string }) {
  const wide = useWide();
  return (
    <aside className="sticky top-20 z-10 hidden h-[calc(100dvh-5rem)] w-[var(--rail)] shrink-0 overflow-y-auto border-r border-line px-3 py-4 lg:flex lg:flex-col">
      <LatePart part={railLinks} needed={wide} props={{ path }} />
    </aside>
  );
}

const TAB =
  'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-[0.6875rem] leading-4';

export function BottomBar({ path }: { path: string }) {
  return (
    <nav
      aria-label="Screens"
      className="fixed inset-x-0 bottom-0 z-30 flex h-[calc(var(--bar)+env(safe-area-inset-bottom))] border-t border-line bg-ground pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      {BAR_LINKS.map(({ to, label, icon: Icon }) => {
        const current = isCurrent(path, to);
        return (
          <Link
            key={to}
            href={to}
            aria-current={current ? 'page' : undefined}
            className={classes(TAB, current ? 'font-medium text-accent' : 'text-ink-2')}
          >
            <Icon className="size-5" strokeWidth={1.75} aria-hidden />
            {label}
          </Link>
        );
      })}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={openMenu}
        className={classes(TAB, 'text-ink-2')}
      >
        <Ellipsis className="size-5" strokeWidth={1.75} aria-hidden />
        More
      </button>
    </nav>
  );
}
