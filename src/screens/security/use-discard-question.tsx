/**
 * What is asked before this device forgets its commands: what waits is sent first, then what would be
 * lost is named. A log-out, a log-out everywhere and a wipe ask alike.
 */
import { useState, type ReactNode } from 'react';
import { queue, sendQueued, unsentCommands } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { counted } from '../../format/counts.ts';
import { samePerson } from '../../identity/session.ts';
import { commandTarget, commandText } from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { useIsHere } from '../use-is-here.ts';
import { useUnsent } from '../use-store.ts';

type UnsentCommand = ReturnType<typeof unsentCommands>[number];

/** How the screen names what discards the commands. */
export interface DiscardingAct {
  /** On the button: `Log out`. */
  press: string;
  /** As the subject of a sentence: `Logging out`. */
  doing: string;
  /** Said where it was not done: `Not logged out`. */
  notDone: string;
}

/**
 * How long it waits for commands that are being sent, ms: on a bad net one attempt alone may take ten
 * seconds.
 */
const SEND_FIRST_MS = 5_000;

const late = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, SEND_FIRST_MS);
  });

const inSentence = (press: string): string => press.charAt(0).toLowerCase() + press.slice(1);

/** What discarding does. Of a command that was sent, nobody here knows whether it arrived. */
function discardText(
  doing: string,
  left: readonly UnsentCommand[],
  isUnknown: boolean,
): { title: string; description: string } {
  if (isUnknown)
    return {
      title: 'Commands may be unsent',
      description: `This browser's storage is not responding. ${doing} discards any unsent commands.`,
    };
  const isOne = left.length === 1;
  const many = isOne ? 'command' : 'commands';
  const [these, them] = isOne ? ['it', 'it'] : ['these', 'them'];
  if (left.length === 0)
    return { title: `No unsent ${many}`, description: `${doing} discards no command.` };
  return left.some(({ attempts, state }) => attempts > 0 || state === 'sending')
    ? {
        title: `${left.length} unconfirmed ${many}`,
        description: `The server has not confirmed ${these}. ${doing} discards ${them} on this device. What was already sent may still take effect.`,
      }
    : {
        title: `${left.length} unsent ${many}`,
        description: `The server has not received ${these}. ${doing} discards ${them}.`,
      };
}

/** Asks before commands are discarded. What is delivered meanwhile leaves the list. */
function DiscardDialog({
  act: { press, doing },
  open,
  left,
  isUnknown,
  onStay,
  onLeave,
}: {
  act: DiscardingAct;
  open: boolean;
  left: readonly UnsentCommand[];
  /** Nobody knows whether something is unsent. */
  isUnknown: boolean;
  onStay: () => void;
  onLeave: () => void;
}) {
  const isEmpty = left.length === 0 && !isUnknown;
  return (
    <Dialog
      open={open}
      onOpenChange={onStay}
      {...discardText(doing, left, isUnknown)}
      actions={
        <>
          <Button onClick={onStay}>Stay logged in</Button>
          <Button tone={isEmpty ? 'primary' : 'danger'} onClick={onLeave}>
            {isEmpty ? press : `Discard and ${inSentence(press)}`}
          </Button>
        </>
      }
    >
      <ul>
        {left.map((entry) => (
          <li key={entry.commandId} className="rule py-2">
            <p className="font-medium">{commandTarget(entry)}</p>
            <p className="text-ink-2">{commandText(entry)}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** For whoever has gone to another screen, where nothing can be asked. */
function notDoneText({ press, notDone }: DiscardingAct, many: number): string {
  const why =
    many === 0
      ? 'commands may be unsent'
      : `the server has not confirmed ${counted(many, 'command', 'commands')}`;
  const them = many === 1 ? 'it' : 'them';
  return `${notDone}: ${why}. Go to Security to discard ${them} and ${inSentence(press)}.`;
}

/** Also where the storage has yet to say what is unsent. */
const mayDiscard = (): boolean => queue.unread || unsentCommands().length > 0;

/**
 * `ask` sends what waits and calls `leave` where nothing would be lost; otherwise the dialog of
 * `question` asks. `question` also says what is being sent.
 */
export function useDiscardQuestion(
  act: DiscardingAct,
  leave: () => Promise<void>,
): { ask: () => void; busy: boolean; question: ReactNode } {
  const [asking, setAsking] = useState(false);
  const [doing, setDoing] = useState<'sending' | 'leaving' | null>(null);
  // Drawn anew whenever the queue changes.
  const isUnknown = useUnsent() === null;
  const left = unsentCommands();
  // What waits for the user's word is discarded unsent.
  const beingSent = left.filter(({ state }) => state !== 'needs-you').length;
  const isHere = useIsHere();
  const goOn = async (): Promise<void> => {
    setDoing('leaving');
    setAsking(false);
    await leave();
    setDoing(null);
  };
  const sendFirst = async (): Promise<void> => {
    const isSamePerson = samePerson();
    if (mayDiscard() && connection.online !== 'offline') {
      setDoing('sending');
      await Promise.race([sendQueued(), late()]);
      setDoing(null);
    }
    // Another person may have come meanwhile, whose queue this would be.
    if (!isSamePerson()) return;
    if (!mayDiscard()) await goOn();
    else if (isHere.current) setAsking(true);
    else pageToast('error', notDoneText(act, unsentCommands().length));
  };
  return {
    ask: () => {
      void sendFirst();
    },
    busy: doing !== null,
    question: (
      <>
        <p role="status" className="basis-full text-xs text-ink-2 empty:hidden">
          {doing === 'sending' &&
            beingSent > 0 &&
            `Sending ${counted(beingSent, 'command', 'commands')} first.`}
        </p>
        <DiscardDialog
          act={act}
          open={asking}
          left={left}
          isUnknown={isUnknown}
          onStay={() => {
            setAsking(false);
          }}
          onLeave={() => {
            void goOn();
          }}
        />
      </>
    ),
  };
}
