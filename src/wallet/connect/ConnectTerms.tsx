/** What a user accepts by connecting a wallet, and how to get one. */
import { useConnectors } from 'wagmi';
import { useWalletSettings } from '../wallet-settings.ts';

const LINK = 'text-accent underline underline-offset-2';

export function ConnectTerms() {
  const { privacyUrl, signUpEnabled, termsUrl } = useWalletSettings().kit.config.wallet;
  const smart = useConnectors().find(({ type }) => type === 'coinbaseWallet');
  return (
    <p className="mt-2 max-w-[64ch] text-xs text-ink-3">
      {signUpEnabled && smart !== undefined && (
        <>No wallet yet? {smart.name} makes one as you connect. </>
      )}
      Its maker&rsquo;s{' '}
      <a className={LINK} href={termsUrl} target="_blank" rel="noopener noreferrer">
        terms of service
      </a>{' '}
      and{' '}
      <a className={LINK} href={privacyUrl} target="_blank" rel="noopener noreferrer">
        privacy policy
      </a>{' '}
      hold for the wallet.
    </p>
  );
}
