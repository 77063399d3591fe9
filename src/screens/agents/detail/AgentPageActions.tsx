/** The buttons and dialogs of one agent's page: start, stop, undo, edit, duplicate. */
import { Play, Undo2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import { placesTaken } from '../../../../contract/agent-account.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { SkeletonRows } from '../../../components/EmptyState.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import type { AgentView } from '../../../stores/agent-view.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { undoCommand } from '../../undo-command.ts';
import { useAgentView } from '../../use-agent-view.ts';
import { CreateDialog } from '../list/AgentsScreen.tsx';
import { copyOf } from './copy-draft.ts';
import { StartDialog } from '../start-stop/StartDialog.tsx';
import { StopButton, useStopPlace } from '../start-stop/StopButton.tsx';

const ConfirmStart = screenPart(() => import('../start-stop/ConfirmStart.tsx'));
const EditAgentForm = screenPart(() => import('./EditAgentForm.tsx'));

function StartButton({ agentId, onPress }: { agentId: string; onPress: () => void }) {
  return (
    <Button tone="primary" className="min-w-32" data-act={`start ${agentId}`} onClick={onPress}>
      <Play className="size-4" aria-hidden />
      Start
    </Button>
  );
}

/** A start that waited too long is reviewed before it is confirmed. */
function ReviewStart({ view }: { view: AgentView }) {
  const [reviewing, setReviewing] = useState(false);
  return (
    <>
      {view.canReview && (
        <Button
          tone="primary"
          onClick={() => {
            setReviewing(true);
          }}
        >
          Review start
        </Button>
      )}
      {reviewing && view.entry !== null && (
        <Suspense>
          <ConfirmStart entry={view.entry} open onOpenChange={setReviewing} />
        </Suspense>
      )}
    </>
  );
}

function UndoButton({ commandId }: { commandId: string }) {
  return (
    <Button
      data-act={`take back ${commandId}`}
      onClick={() => {
        void undoCommand(commandId);
      }}
    >
      <Undo2 className="size-4" aria-hidden />
      Undo
    </Button>
  );
}

interface EditProps {
  agent: Agent;
  editing: boolean;
  onEdit: (open: boolean) => void;
}

function EditDialog({ agent, editing, onEdit }: EditProps) {
  return (
    <Dialog
      open={editing}
      onOpenChange={onEdit}
      wide
      title={`Edit ${agent.name}`}
      description="Open positions stay. New settings apply from the next check."
    >
      <Suspense fallback={<SkeletonRows rows={5} />}>
        <EditAgentForm
          agent={agent}
          onSaved={() => {
            onEdit(false);
          }}
        />
      </Suspense>
    </Dialog>
  );
}

export function AgentPageActions({ agent, editing, onEdit }: EditProps) {
  const view = useAgentView(agent);
  const [starting, setStarting] = useState(false);
  const [copying, setCopying] = useState(false);
  const isStopPlace = useStopPlace(view);
  const count = placesTaken(useSnapshot(agentsStore).data?.agents ?? []);
  const undo = view.canUndo ? (view.entry?.commandId ?? null) : null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isStopPlace && <StopButton view={view} shows="word" tone="danger" />}
      {view.canStart && (view.canStop || !isStopPlace) && (
        <StartButton
          agentId={agent.id}
          onPress={() => {
            setStarting(true);
          }}
        />
      )}
      <ReviewStart view={view} />
      <Button
        onClick={() => {
          onEdit(true);
        }}
      >
        Edit
      </Button>
      {/* A phone has no room for a fourth: Undo takes its place, and nothing below moves. */}
      <Button
        className={undo === null ? undefined : 'max-sm:hidden'}
        onClick={() => {
          setCopying(true);
        }}
      >
        Duplicate
      </Button>
      {/* Last, so that the Undo of a stop appears before it and nothing in between moves. */}
      {undo !== null && <UndoButton commandId={undo} />}
      <CreateDialog
        key={String(copying)}
        open={copying}
        onOpenChange={setCopying}
        count={count}
        title={`Duplicate ${agent.name}`}
        given={{ keptAs: `agent-copy.${agent.id}`, draft: copyOf(agent) }}
        connectionId={connectionOf(agent)}
      />
      <StartDialog agent={agent} open={starting} onOpenChange={setStarting} />
      <EditDialog agent={agent} editing={editing} onEdit={onEdit} />
    </div>
  );
}
