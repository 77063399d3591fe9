/** Chooses whose money is shown: paper, or an account at an exchange. */
import { ChevronDown } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { classes } from '../components/class-names.ts';
import { Dialog } from '../components/Dialog.tsx';
import { LiveTag } from '../components/LiveTag.tsx';
import { PaperTag } from '../components/Tags.tsx';
import { exchangeName } from '../format/exchange-names.ts';
import { accountChoice, chooseAccount } from '../stores/account-choice.ts';
import type { ShownAccount } from '../stores/shown-account.ts';

const ROW =
  'flex min-h-12 w-full items-center gap-3 rounded-md px-3 py-1.5 text-left hover:bg-sunken';

function Choice({
  isShown,
  onChoose,
  children,
}: {
  isShown: boolean;
  onChoose: () => void;
  children: ReactNode;
}) {
  return (
    <li className="rule">
      <button
        type="button"
        aria-current={isShown ? 'true' : undefined}
        className={classes(ROW, isShown && 'bg-accent-wash font-medium')}
        onClick={onChoose}
      >
        {children}
      </button>
    </li>
  );
}

function nameOf(shown: ShownAccount | null): string {
  if (shown === null) return 'Paper';
  return `Live, ${exchangeName(shown.exchange)}${shown.label === '' ? '' : `, ${shown.label}`}`;
}

export function AccountSwitch({ shown }: { shown: ShownAccount | null }) {
  const { known } = useSnapshot(accountChoice);
  const [open, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  const choose = (id: string | null): void => {
    close();
    void chooseAccount(id);
    navigate(id === null ? '/dashboard' : `/live/${encodeURIComponent(id)}`);
  };
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`Account shown: ${nameOf(shown)}. Change account`}
        className="reach -mx-1 flex min-h-8 items-center gap-0.5 rounded-md px-1 text-ink-2 hover:text-ink"
        onClick={() => {
          setOpen(true);
        }}
      >
        {shown === null ? <PaperTag /> : <LiveTag where={exchangeName(shown.exchange)} />}
        <ChevronDown className="size-3.5" aria-hidden />
      </button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Account"
        description="Paper and real money are never added up."
      >
        <ul>
          <Choice
            isShown={shown === null}
            onChoose={() => {
              choose(null);
            }}
          >
            <PaperTag />
            Paper account
          </Choice>
          {known.map((account) => (
            <Choice
              key={account.id}
              isShown={shown?.id === account.id}
              onChoose={() => {
                choose(account.id);
              }}
            >
              <LiveTag />
              <span className="min-w-0">
                <span className="block truncate">{exchangeName(account.exchange)}</span>
                <span className="block truncate text-xs font-normal text-ink-3">
                  {account.label}
                </span>
              </span>
            </Choice>
          ))}
        </ul>
        <Link href="/live/connect" onClick={close} className={classes(ROW, 'rule text-accent')}>
          Connect an exchange
        </Link>
      </Dialog>
    </>
  );
}
