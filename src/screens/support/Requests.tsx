/** The user's support requests with their replies. */
import { ChevronDown } from 'lucide-react';
import { useEffect, useState, type FormEvent } from 'react';
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
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { showFailure } from '../show-result.ts';
import { CATEGORY_LABEL, Notices, textHint } from './Compose.tsx';
import { messageDraft } from './support-draft.ts';
import { useDraft } from './use-draft.ts';

const STATE: Record<SupportState, { label: string; tone: BadgeTone }> = {
  open: { label: 'Waiting for an answer', tone: 'neutral' },
  answered: { label: 'Answered', tone: 'accent' },
  closed: { label: 'Closed', tone: 'neutral' },
};

type Put = (reply: SupportRequests) => void;

/** The message to a request, kept until it is sent. */
function useMessage({ id: requestId, messages }: SupportRequest, onAdded: Put) {
  const uid = useSnapshot(session).user?.uid ?? '';
  const kept = useDraft(messageDraft(uid, requestId));
  const { draft, deliver, sent } = kept;
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  // After a lost answer the list tells that the message has arrived. Another tab may have sent other
  // words under its id.
  const hasArrived =
    draft.tried === true &&
    messages.some(({ id, text }) => id === draft.id && text === draft.text.trim());
  useEffect(() => {
    if (hasArrived) sent(draft);
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (draft.text.trim() === '') {
      setError('Required');
      return;
    }
    setBusy(true);
    setError(undefined);
    deliver(({ id, text }) =>
      callFunction('addToSupportRequest', { requestId, messageId: id, text }),
    )
      .then(onAdded, (failure: unknown) => {
        setError(errorSentence(failure));
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return { ...kept, error, busy, send };
}

function Add({ request, onAdded }: { request: SupportRequest; onAdded: Put }) {
  const { online } = useSnapshot(connection);
  const { draft, place, change, sent, error, busy, send } = useMessage(request, onAdded);
  return (
    <form noValidate className="flex flex-col gap-3 pt-3" onSubmit={send}>
      <TextAreaField
        label="Add a message"
        rows={3}
        maxLength={SUPPORT_TEXT_MAX}
        value={draft.text}
        error={error}
        hint={draft.text === '' ? undefined : textHint(draft.text, place)}
        onChange={(event) => {
          change({ text: event.target.value });
        }}
      />
      {draft.text !== '' && (
        <Notices place={place} error={undefined} isOffline={online === 'offline'} begun />
      )}
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
              callFunction('closeSupportRequest', { requestId: request.id }).then((reply) => {
                // Nothing more can be sent to it.
                sent(draft);
                onAdded(reply);
              }),
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
  const [isOpenAtFirst] = useState(
    () =>
      request.state === 'answered' ||
      messageDraft(session.user?.uid ?? '', request.id).read().text !== '',
  );
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
          {request.state !== 'closed' && <Add request={request} onAdded={onChanged} />}
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
