/**
 * One swap of the kit's card at a time, from its press to its end. The kit prepares one with its
 * button open, and opens it for each new price.
 */
import { useRef, useState, type SyntheticEvent } from 'react';
import { useSwapContext } from '@coinbase/onchainkit/swap';

export interface OneSwap {
  /** A swap is prepared or running. */
  isShut: boolean;
  /** In the place of the kit's own handling of a press of its button: heard before it. */
  press: (event: SyntheticEvent) => void;
}

/** Of the card around it. `isRunning`: the wallet has been asked, and there is no end yet. */
export function useOneSwap(isRunning: boolean): OneSwap {
  const { address, handleSubmit } = useSwapContext();
  const [isPressed, setIsPressed] = useState(false);
  // Before anything is drawn again, too.
  const pressed = useRef(false);
  const press = (event: SyntheticEvent): void => {
    const isOpen = (event.target as Element).closest('button:enabled') !== null;
    // Without an account the kit's button is one that connects a wallet.
    if (!isOpen || address === undefined) return;
    event.stopPropagation();
    if (pressed.current || isRunning) return;
    pressed.current = true;
    setIsPressed(true);
    // The kit's types do not tell that it ends when all that it asks for is asked, and never throws.
    const submit: () => unknown = handleSubmit;
    void Promise.resolve(submit()).then(() => {
      pressed.current = false;
      setIsPressed(false);
    });
  };
  return { isShut: isPressed || isRunning, press };
}
