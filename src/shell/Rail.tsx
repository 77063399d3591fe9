/** The left rail of wide screens and the bottom bar of phones, whose More opens the menu. */
import { Ellipsis } from 'lucide-react';
import { Link } from 'wouter';
import { classes } from '../components/class-names.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { FindButton, GroupLink, openMenu, StopAllLink } from './Menu.tsx';
import { BAR_LINKS, isCurrent, MENU_GROUPS } from './navigation.ts';

export function Rail({ path }: { path: string }) {
  return (
    <aside className="sticky top-20 z-10 hidden h-[calc(100dvh-5rem)] w-[var(--rail)] shrink-0 overflow-y-auto border-r border-line px-3 py-4 lg:flex lg:flex-col">
      <FindButton />
      <nav aria-label="More">
        {MENU_GROUPS.map(({ title, links }) => (
          <section key={title} aria-label={title} className="mt-3 flex flex-col gap-0.5">
            <h2 className="px-3 pb-0.5 text-xs text-ink-3">{title}</h2>
            {links.map((link) => (
              <GroupLink key={link.to} link={link} path={path} />
            ))}
          </section>
        ))}
      </nav>
      <div className="mt-auto flex flex-col gap-0.5 pt-4">
        <StopAllLink />
        <AccountMenu />
      </div>
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
