/** The logo with the product's name, as the link at the start of every header. */
import { Link } from 'wouter';
import { Logo } from './Logo.tsx';

/** `tight`: on a phone something else needs the name's place. */
export function LogoLink({
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
