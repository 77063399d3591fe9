/** The account's limits and brakes: lowered at once, raised with a confirmation. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import type { CallBody } from '../../../../contract/calls.ts';
import type { StepUpWire } from '../../../../contract/live.ts';
import type { LiveConnection, LiveLimits } from '../../../../contract/live-state.ts';
import { parseFixed } from '../../../../contract/money.ts';
import { api } from '../../../api/api.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { Field } from '../../../components/Field.tsx';
import { LiveFigure } from '../../../components/LiveMark.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { Line, Section } from '../../../components/Section.tsx';
import { Switch } from '../../../components/Switch.tsx';
import { formatExact } from '../../../format/numbers.ts';
import { formatDate } from '../../../format/times.ts';
import { typedNumber } from '../../../format/typed-numbers.ts';
import { connection as server } from '../../../stores/connection.ts';
import { applyConnection, loadLiveAccount } from '../../../stores/live-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { showFailure } from '../../show-result.ts';
import { ConfirmForm } from '../confirm/ConfirmForm.tsx';
import { LimitFields } from '../LimitFields.tsx';
import {
  checkLimits,
  chosenLimits,
  draftOf,
  isRaise,
  isSame,
  LIMIT_LABEL,
  LIMIT_NAMES,
  type LimitName,
} from '../limits-draft.ts';
import { activeText, fullNameOf, nameOf } from '../live-text.ts';
import { useAccountCurrent, usePositions } from '../use-live.ts';

const ORDERS_MAX = 1_000;

async function put(id: string, body: CallBody<'setLiveLimits'>): Promise<void> {
  const reply = await api.call('setLiveLimits', { params: { id }, body });
  applyConnection(reply.connection);
}

/** What a raise of the first week brings, and when: nobody should be surprised by it. */
function ChosenLimit({ connection, name }: { connection: LiveConnection; name: LimitName }) {
  const { limits, firstWeekUntil } = connection;
  const chosen = chosenLimits(connection)[name];
  if (parseFixed(chosen) === parseFixed(limits[name])) return null;
  return (
    <span className="block text-xs text-ink-3">
      <LiveFigure>{formatExact(chosen, 2)}</LiveFigure> USD{' '}
      {firstWeekUntil === null ? 'once the signer answers' : `from ${formatDate(firstWeekUntil)}`}
    </span>
  );
}

function Values({ connection }: { connection: LiveConnection }) {
  const { limits, maxOrdersPerHour, firstWeekUntil } = connection;
  return (
    <>
      <dl>
        {LIMIT_NAMES.map((name) => (
          <Line key={name} term={LIMIT_LABEL[name]}>
            <span data-limit={name}>
              <LiveFigure>{formatExact(limits[name], 2)}</LiveFigure> USD
              <ChosenLimit connection={connection} name={name} />
            </span>
          </Line>
        ))}
        <Line term="Orders in an hour">at most {maxOrdersPerHour}, stops apart</Line>
      </dl>
      {firstWeekUntil !== null && (
        <p className="rule py-2 text-xs text-ink-3">
          First week, until {formatDate(firstWeekUntil)}: limits stay at its caps or below.
        </p>
      )}
    </>
  );
}

type Edited = CallBody<'setLiveLimits'>;
type Raised = Edited & { limits: LiveLimits };

/** Higher limits wait for their confirmation, with what else was edited. */
function Raise({
  connection,
  edited,
  onDone,
}: {
  connection: LiveConnection;
  edited: Raised;
  onDone: () => void;
}) {
  const { firstWeekUntil } = connection;
  const { limits, maxOrdersPerHour = connection.maxOrdersPerHour } = edited;
  const present = chosenLimits(connection);
  const confirmed = async (stepUp: StepUpWire): Promise<void> => {
    await put(connection.id, { ...edited, stepUp });
    onDone();
  };
  return (
    <div className="live-frame">
      <p className="mb-2">
        <LiveTag /> Higher limits let agents spend and lose more of your money at{' '}
        {nameOf(connection)}:
      </p>
      <dl className="mb-3">
        {LIMIT_NAMES.map((name) => (
          <Line key={name} term={LIMIT_LABEL[name]}>
            {formatExact(present[name], 2)} → {formatExact(limits[name], 2)} USD
          </Line>
        ))}
        {maxOrdersPerHour !== connection.maxOrdersPerHour && (
          <Line term="Orders in an hour">
            {connection.maxOrdersPerHour} → {maxOrdersPerHour}
          </Line>
        )}
      </dl>
      {firstWeekUntil !== null && (
        <p className="mb-3">
          The first week’s caps stay in force until {formatDate(firstWeekUntil)}. What is above them
          takes effect then, without another question.
        </p>
      )}
      <ConfirmForm
        act={{
          connectionId: connection.id,
          purpose: 'raise_limits',
          agentId: null,
          limits,
          shown: present,
        }}
        keys={connection.stepUpKeys}
        label="Raise limits"
        onConfirmed={confirmed}
        unanswered={`The limits at ${nameOf(connection)} may have been raised.`}
        onUnanswered={() => {
          void loadLiveAccount(connection.id, true);
        }}
      />
    </div>
  );
}

/** When what is saved takes effect. */
function Effect({ firstWeekUntil }: Pick<LiveConnection, 'firstWeekUntil'>) {
  const later =
    firstWeekUntil === null
      ? ''
      : `, and what is above the first week’s caps takes effect on ${formatDate(firstWeekUntil)}`;
  return (
    <p className="text-xs text-ink-3">
      Lower limits hold at once. Higher ones need your passkey or password{later}.
    </p>
  );
}

/** What was not edited is not sent: it may have been changed on another page meanwhile. */
const editedBody = (
  before: LiveConnection,
  limits: LiveLimits,
  maxOrdersPerHour: number,
): Edited => ({
  ...(isSame(limits, chosenLimits(before)) ? {} : { limits }),
  ...(maxOrdersPerHour === before.maxOrdersPerHour ? {} : { maxOrdersPerHour }),
});

function LimitsForm({ connection, onDone }: { connection: LiveConnection; onDone: () => void }) {
  const [before] = useState(connection);
  const [draft, setDraft] = useState(() => draftOf(chosenLimits(before)));
  const [orders, setOrders] = useState(String(connection.maxOrdersPerHour));
  const [issues, setIssues] = useState<Partial<Record<LimitName | 'orders', string>>>({});
  const [raised, setRaised] = useState<Raised | null>(null);
  const [busy, setBusy] = useState(false);
  const perHour = typedNumber(orders) ?? Number.NaN;
  const save = async (limits: LiveLimits): Promise<void> => {
    setBusy(true);
    const body = editedBody(before, limits, perHour);
    const isEdited = Object.keys(body).length > 0;
    const saved = !isEdited || (await showFailure(put(connection.id, body), 'Limits saved.'));
    setBusy(false);
    if (saved) onDone();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const checked = checkLimits(draft, null);
    const isCount = Number.isInteger(perHour) && perHour >= 0 && perHour <= ORDERS_MAX;
    const found = {
      ...(checked.ok ? {} : checked.issues),
      ...(isCount ? {} : { orders: 'A whole number from 0 to 1,000.' }),
    };
    setIssues(found);
    if (!checked.ok || !isCount) return;
    const edited = editedBody(before, checked.limits, perHour);
    const { limits } = edited;
    if (limits !== undefined && isRaise(limits, chosenLimits(connection)))
      setRaised({ ...edited, limits });
    else void save(checked.limits);
  };
  if (raised !== null)
    return (
      <Raise
        connection={connection}
        edited={raised}
        onDone={() => {
          pageToast('success', 'Raise confirmed.');
          onDone();
        }}
      />
    );
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
      <LimitFields draft={draft} issues={issues} onChange={setDraft} />
      <Field
        label="Orders in an hour"
        hint="Orders of agents; stop losses do not count."
        inputMode="numeric"
        autoComplete="off"
        value={orders}
        error={issues.orders}
        onChange={(event) => {
          setOrders(event.target.value);
        }}
      />
      <Button type="submit" tone="primary" busy={busy}>
        Save
      </Button>
      <Effect firstWeekUntil={connection.firstWeekUntil} />
    </form>
  );
}

export function Brakes({ connection }: { connection: LiveConnection }) {
  const { online } = useSnapshot(server);
  const [editing, setEditing] = useState(false);
  const [busy, setBusy] = useState(false);
  const isOff = connection.entriesOffSince !== null;
  const positions = usePositions(connection.id);
  const then = useAccountCurrent(connection.id) ? '' : ' when last seen';
  const allow = async (entriesAllowed: boolean): Promise<void> => {
    setBusy(true);
    await showFailure(put(connection.id, { entriesAllowed }));
    setBusy(false);
  };
  return (
    <Section
      title="Limits and brakes"
      aside={
        <Button
          size="sm"
          disabled={online === 'offline'}
          onClick={() => {
            setEditing(true);
          }}
        >
          Change limits
        </Button>
      }
    >
      <Values connection={connection} />
      <Switch
        label="Purchases"
        hint={
          isOff
            ? `Off${then}: agents buy nothing. ${activeText(positions)}`
            : `On${then}. When off, agents buy nothing; sales and stop losses stay active.`
        }
        checked={!isOff}
        disabled={busy || online === 'offline'}
        onChange={(on) => {
          void allow(on);
        }}
      />
      <Dialog
        open={editing}
        onOpenChange={setEditing}
        title="Limits"
        description={`${fullNameOf(connection)}. The signer holds every order to them.`}
      >
        <LimitsForm
          connection={connection}
          onDone={() => {
            setEditing(false);
          }}
        />
      </Dialog>
    </Section>
  );
}
