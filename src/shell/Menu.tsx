/** The menu: the header's links, all other screens in groups, Find, Stop all and the account. */
import { CircleStop, CircleUserRound, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { proxy, useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { classes } from '../components/class-names.ts';
import { LazyDialog } from '../components/LazyDialog.tsx';
import { session } from '../identity/session.ts';
import { useAuth } from '../stores/use-security.ts';
import { PLAN_LABEL } from './AccountMenu.tsx';
import { isCurrent, MENU_GROUPS, navLinks, type MenuLink, type NavLink } from './navigation.ts';
import { preload } from './routes.ts';
import { MODIFIER, openPalette } from './shortcuts.ts';

/** Opened by the header's toggle and by More in the bottom bar. */
export const menu = proxy({ open: false });

export function openMenu(): void {
  menu.open = true;
}
const close = (): void => {
  menu.open = false;
};

const ROW = 'flex min-h-11 items-center gap-3 rounded-md px-3 pointer-fine:min-h-9';

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

function HeaderLink({ link, path }: { link: NavLink; path: string }) {
  const current = isCurrent(path, link.to) && link.upsell !== true;
  return (
    <Link
      href={link.to}
      onClick={close}
      aria-current={current ? 'page' : undefined}
      className={classes(
        ROW,
        current ? 'bg-accent-wash font-medium text-accent' : 'text-ink hover:bg-sunken',
      )}
    >
      {link.upsell === true ? (
        <>
          <span className="rounded-sm border border-accent px-1.5 text-xs leading-5 font-semibold text-accent">
            PRO
          </span>
          <span className="sr-only">: see what PRO adds</span>
        </>
      ) : (
        link.label
      )}
    </Link>
  );
}

function Titled({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-3 border-t border-line pt-2">
      <h3 className="px-3 pb-1 text-xs text-ink-3">{title}</h3>
      <div className="grid grid-cols-2 gap-x-2 max-[339px]:grid-cols-1">{children}</div>
    </section>
  );
}

function Account() {
  const { user } = useSnapshot(session);
  const { subscriptionTier } = useAuth();
  return (
    <p className="flex min-w-0 items-center gap-3 px-3 py-2 text-ink-2">
      <CircleUserRound className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />
      <span className="min-w-0 truncate">{user?.displayName ?? user?.email ?? 'Account'}</span>
      <span className="shrink-0 text-xs text-ink-3">{PLAN_LABEL[subscriptionTier]}</span>
    </p>
  );
}

export function Menu({ path }: { path: string }) {
  const { open } = useSnapshot(menu);
  const { subscriptionTier } = useAuth();
  return (
    <LazyDialog
      open={open}
      onOpenChange={(wanted) => {
        menu.open = wanted;
      }}
      title="Menu"
    >
      <nav aria-label="Menu" className="grid grid-cols-2 gap-x-2 max-[339px]:grid-cols-1">
        {navLinks(subscriptionTier).map((link) => (
          <HeaderLink key={link.label} link={link} path={path} />
        ))}
      </nav>
      <nav aria-label="More">
        {MENU_GROUPS.map(({ title, links }) => (
          <Titled key={title} title={title}>
            {links.map((link) => (
              <GroupLink key={link.to} link={link} path={path} onFollow={close} />
            ))}
          </Titled>
        ))}
      </nav>
      <div className="mt-3 grid grid-cols-2 gap-x-2 border-t border-line pt-2 max-[339px]:grid-cols-1">
        <FindButton onPress={close} />
        <StopAllLink onFollow={close} />
      </div>
      <Account />
    </LazyDialog>
  );
}
