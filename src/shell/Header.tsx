/** The header: logo, navigation bar, paper tag, age of data and menu. */
import { Menu as MenuIcon } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { Age } from '../components/Age.tsx';
import { LinkButton } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { PaperTag } from '../components/Tags.tsx';
import { useAuth } from '../stores/use-security.ts';
import { useWalletNote } from '../stores/wallet-note.ts';
import { BackControl } from './BackControl.tsx';
import { STALE_AFTER } from '../stores/data-kinds.ts';
import { kindOf, useDataTime } from './data-age.ts';
import { Logo } from './Logo.tsx';
import { menu, openMenu } from './Menu.tsx';
import { isCurrent, navLinks, type NavLink } from './navigation.ts';
import { WalletChip } from './WalletChip.tsx';

/** `tight`: on a phone something else needs the name's place. */
function LogoLink({
  to,
  label = 'Tradewind',
  tight = false,
}: {
  to: string;
  label?: string;
  tight?: boolean;
}) {
  return (
    <Link
      href={to}
      className="-ml-1 flex min-h-11 items-center gap-2 px-1 text-base font-semibold tracking-[-0.01em]"
    >
      {/* At 320 px the logo alone is visible; the name is for screen readers. */}
      <Logo className="size-6" />
      <span className={tight ? 'max-[429px]:sr-only md:max-lg:sr-only' : 'max-[374px]:sr-only'}>
        {label}
      </span>
    </Link>
  );
}

function BarLink({ link, path }: { link: NavLink; path: string }) {
  const current = isCurrent(path, link.to) && link.upsell !== true;
  return (
    <Link
      href={link.to}
      aria-current={current ? 'page' : undefined}
      className={classes(
        'flex h-9 items-center rounded-md px-2.5',
        current ? 'font-medium text-ink' : 'text-ink-2 hover:text-ink',
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

/** The header of a signed-in user. */
export function AppHeader({ path }: { path: string }) {
  const { subscriptionTier } = useAuth();
  const { open } = useSnapshot(menu);
  const kind = kindOf(path);
  const dataTime = useDataTime(kind);
  const wallet = useWalletNote();
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-ground">
      <div className="flex h-13 items-center gap-3 px-4 md:px-6">
        <BackControl path={path} />
        <LogoLink to="/dashboard" tight={wallet !== null} />
        <nav aria-label="Main" className="ml-3 hidden items-center md:flex">
          {navLinks(subscriptionTier).map((link) => (
            <BarLink key={link.label} link={link} path={path} />
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-3">
          {wallet !== null && <WalletChip wallet={wallet} />}
          <PaperTag />
          <Age
            savedAt={dataTime}
            staleAfterMs={STALE_AFTER[kind]}
            icon
            className="min-w-[5.25rem] justify-end md:min-w-[6.5rem]"
          />
          <button
            type="button"
            aria-haspopup="dialog"
            aria-expanded={open}
            aria-label="Open menu"
            onClick={openMenu}
            className="-mr-2 flex size-11 shrink-0 items-center justify-center rounded-md text-ink-2 md:hidden"
          >
            <MenuIcon className="size-5" aria-hidden />
          </button>
        </div>
      </div>
    </header>
  );
}

/** The header of the public pages; transparent over the landing page. */
export function PublicHeader({ transparent }: { transparent: boolean }) {
  return (
    <header
      className={classes(
        'top-0 z-30 w-full',
        transparent ? 'absolute bg-transparent' : 'sticky border-b border-line bg-ground',
      )}
    >
      <div className="mx-auto flex h-14 max-w-6xl items-center justify-between px-4 md:px-6">
        <LogoLink to="/" />
        <nav aria-label="Account" className="flex items-center gap-1">
          <LinkButton to="/login" tone="plain" size="sm">
            Log In
          </LinkButton>
          <LinkButton to="/register" tone="primary" size="sm">
            Get Started
          </LinkButton>
        </nav>
      </div>
    </header>
  );
}
