/** The user's support requests with their replies. */
import { ChevronDown } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import {
  SUPPORT_TEXT_MAX,
  type SupportRequest,
  type SupportRequests,
  type SupportState,
} from '../../../contract/support.ts';
import { callFunction } from '../../callables/call-function.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { TextAreaField } from '../../components/Field.tsx';
import { StatusBadge, Tag, type BadgeTone } from '../../components/Tags.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { formatWhen } from '../../format/times.ts';
import { connection } from '../../stores/connection.ts';
import { showFailure } from '../show-result.ts';
import { CATEGORY_LABEL } from './Compose.tsx';

const STATE: Record<SupportState, { label: string; tone: BadgeTone }> = {
  open: { label: 'Waiting for an answer', tone: 'neutral' },
  answered: { label: 'Answered', tone: 'accent' },
  closed: { label: 'Closed', tone: 'neutral' },
};

type Put = (reply: SupportRequests) => void;

function Add({ requestId, onAdded }: { requestId: string; onAdded: Put }) {
  const { online } = useSnapshot(connection);
  // One id per text: a retry after a lost answer is the same message.
  const [messageId, setMessageId] = useState(() => crypto.randomUUID());
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') {
      setError('Required');
      return;
    }
    setBusy(true);
    setError(undefined);
    callFunction('addToSupportRequest', { requestId, messageId, text })
      .then(
        (reply) => {
          // What was typed after the press is another message, with an id of its own.
          setText((present) => (present === text ? '' : present));
          onAdded(reply);
        },
        (failure: unknown) => {
          setError(errorSentence(failure));
        },
      )
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <form noValidate className="flex flex-col gap-3 pt-3" onSubmit={send}>
      <TextAreaField
        label="Add a message"
        rows={3}
        maxLength={SUPPORT_TEXT_MAX}
        value={text}
        error={error}
        onChange={(event) => {
          setText(event.target.value);
          setMessageId(crypto.randomUUID());
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" busy={busy} disabled={online === 'offline'}>
          Send
        </Button>
        <Button
          size="sm"
          tone="plain"
          disabled={online === 'offline' || busy}
          onClick={() => {
            void showFailure(
              callFunction('closeSupportRequest', { requestId }).then(onAdded),
              'Closed.',
            );
          }}
        >
          Close request
        </Button>
      </div>
    </form>
  );
}

function Request({ request, onChanged }: { request: SupportRequest; onChanged: Put }) {
  const { label, tone } = STATE[request.state];
  const [first] = request.messages;
  // At first alone: a reply ends that state, and must not shut the conversation it is typed in.
  const [isOpenAtFirst] = useState(request.state === 'answered');
  return (
    <li className="rule">
      <details open={isOpenAtFirst} className="group">
        <summary className="flex min-h-14 cursor-pointer items-center gap-3 py-2">
          <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-4 gap-y-0.5">
            <span className="min-w-0 flex-1 basis-48">
              <span className="block font-medium">
                {CATEGORY_LABEL[request.category]}
                {request.priority && (
                  <>
                    {' '}
                    <Tag tone="accent">Priority</Tag>
                  </>
                )}
              </span>
              <span className="block truncate text-xs text-ink-3">{first?.text}</span>
            </span>
            <span className="flex items-baseline gap-3 text-sm sm:block sm:text-right">
              <StatusBadge tone={tone}>{label}</StatusBadge>
              <span className="text-xs text-ink-3 tabular-nums sm:block">
                {formatWhen(request.updatedAt)}
              </span>
            </span>
          </span>
          <ChevronDown
            className="size-4 shrink-0 text-ink-3 transition-transform duration-100 group-open:rotate-180"
            aria-hidden
          />
        </summary>
        <div className="pb-4">
          <ol className="flex flex-col gap-3">
            {request.messages.map((message) => (
              <li
                key={message.id}
                className={
                  message.author === 'operator'
                    ? 'border-l-2 border-accent pl-3'
                    : 'border-l-2 border-line pl-3'
                }
              >
                <p className="text-xs text-ink-3">
                  {message.author === 'operator' ? 'Tradewind' : 'You'},{' '}
                  {formatWhen(message.createdAt)}
                </p>
                <p className="break-words whitespace-pre-wrap">{message.text}</p>
              </li>
            ))}
          </ol>
          <p className="mt-2 text-xs text-ink-3">
            Request {request.id.slice(0, 8)}
            {request.hasDiagnostics ? ', with app details' : ''}.
          </p>
          {request.state !== 'closed' && <Add requestId={request.id} onAdded={onChanged} />}
        </div>
      </details>
    </li>
  );
}

export function Requests({
  requests,
  onChanged,
}: {
  requests: readonly SupportRequest[];
  onChanged: Put;
}) {
  if (requests.length === 0)
    return <EmptyState title="No requests yet">Your requests and replies appear here.</EmptyState>;
  return (
    <ul>
      {requests.map((request) => (
        <Request key={request.id} request={request} onChanged={onChanged} />
      ))}
    </ul>
  );
}
