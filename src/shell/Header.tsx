/** The header of a signed-in user: logo, navigation bar, account, age of data and menu. */
import { Menu as MenuIcon } from 'lucide-react';
import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { Age } from '../components/Age.tsx';
import { classes } from '../components/class-names.ts';
import { LiveTag } from '../components/LiveTag.tsx';
import { screenPart } from '../components/screen-part.tsx';
import { PaperTag } from '../components/Tags.tsx';
import { accountChoice } from '../stores/account-choice.ts';
import { useShownAccount, type ShownAccount } from '../stores/shown-account.ts';
import { useAuth } from '../stores/use-security.ts';
import { useWalletNote } from '../stores/wallet-note.ts';
import { BackControl } from './BackControl.tsx';
import { STALE_AFTER } from '../stores/data-kinds.ts';
import { kindOf, useScreenTime } from './data-age.ts';
import { LogoLink } from './LogoLink.tsx';
import { menu, openMenu } from './menu-state.ts';
import { isCurrent, navLinks, type NavLink } from './navigation.ts';
import { WalletChip } from './WalletChip.tsx';

const AccountSwitch = screenPart(async () => ({
  default: (await import('./AccountSwitch.tsx')).AccountSwitch,
}));

/** Whose money the screen shows. Without an exchange account it is paper, and there is no choice. */
function AccountMark({ shown }: { shown: ShownAccount | null }) {
  const isChoice = useSnapshot(accountChoice).known.length > 0;
  const mark = shown === null ? <PaperTag /> : <LiveTag />;
  if (!isChoice) return mark;
  return (
    <Suspense fallback={mark}>
      <AccountSwitch shown={shown} />
    </Suspense>
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

export function AppHeader({ path }: { path: string }) {
  const { subscriptionTier } = useAuth();
  const { open } = useSnapshot(menu);
  const dataTime = useScreenTime(path);
  const wallet = useWalletNote();
  const shown = useShownAccount(path);
  const isLive = shown !== null;
  return (
    <header
      data-account={isLive ? 'live' : 'paper'}
      className={classes(
        'sticky top-0 z-30 bg-ground',
        isLive ? 'border-b-4 border-double border-live' : 'border-b border-line',
      )}
    >
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
          <AccountMark shown={shown} />
          <Age
            savedAt={dataTime}
            staleAfterMs={STALE_AFTER[kindOf(path)]}
            icon
            className="min-w-[5.25rem] md:order-first"
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
