/** The menu: the header's links, all other screens in groups, Find, Stop all and the account. */
import { CircleUserRound } from 'lucide-react';
import { memo, useDeferredValue, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { classes } from '../components/class-names.ts';
import { Dialog } from '../components/Dialog.tsx';
import { session } from '../identity/session.ts';
import { useAuth } from '../stores/use-security.ts';
import { PLAN_LABEL } from './AccountMenu.tsx';
import { MENU_GROUPS } from './menu-links.ts';
import { FindButton, GroupLink, ROW, StopAllLink } from './MenuRows.tsx';
import { closeMenu, menu } from './menu-state.ts';
import { isCurrent, navLinks, type NavLink } from './navigation.ts';

function HeaderLink({ link, path }: { link: NavLink; path: string }) {
  const current = isCurrent(path, link.to) && link.upsell !== true;
  return (
    <Link
      href={link.to}
      onClick={closeMenu}
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

/** Memoized: a press that leads elsewhere does not draw the links again before they are gone. */
const MenuLinks = memo(function MenuLinks({ path }: { path: string }) {
  const { subscriptionTier } = useAuth();
  return (
    <>
      <nav aria-label="Menu" className="grid grid-cols-2 gap-x-2 max-[339px]:grid-cols-1">
        {navLinks(subscriptionTier).map((link) => (
          <HeaderLink key={link.label} link={link} path={path} />
        ))}
      </nav>
      <nav aria-label="More">
        {MENU_GROUPS.map(({ title, links }) => (
          <Titled key={title} title={title}>
            {links.map((link) => (
              <GroupLink key={link.to} link={link} path={path} onFollow={closeMenu} />
            ))}
          </Titled>
        ))}
      </nav>
      <div className="mt-3 grid grid-cols-2 gap-x-2 border-t border-line pt-2 max-[339px]:grid-cols-1">
        <FindButton onPress={closeMenu} />
        <StopAllLink onFollow={closeMenu} />
      </div>
      <Account />
    </>
  );
});

export function Menu({ path }: { path: string }) {
  const { open } = useSnapshot(menu);
  const latePath = useDeferredValue(path);
  return (
    <Dialog
      open={open}
      onOpenChange={(wanted) => {
        menu.open = wanted;
      }}
      title="Menu"
    >
      <MenuLinks path={latePath} />
    </Dialog>
  );
}
