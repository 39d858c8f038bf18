import type { Ack, MessageEdit, TurnComplete, UserMessage } from '@farhand/protocol/methods/conversation'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { noCuts } from '../items/cut-text.ts'
import type { MessageItem } from '../items/story.ts'
import { asObject, asText } from '../values/untyped-values.ts'
import { startsAgain } from '../wording/starts-again.ts'
import { hideSandboxAddressesOrNull } from './hide-sandbox-addresses.ts'
import type { Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'
import { turnUsage, withTurn } from './usage.ts'

const nameOf = (messageId: number) => `message ${messageId}`

function addMessage(draft: StoryDraft, said: UserMessage, { id, timestamp, by }: SeenEvent): void {
  const message: MessageItem = {
    kind: 'message',
    id,
    at: timestamp,
    by,
    text: said.content,
    attachments: said.attachments ?? [],
    state: 'waiting',
    isSteering: said.when === 'steer',
  }
  draft.queue = [...draft.queue, message]
}

/** A waiting message gets its place in the timeline when the agent starts with it, not when it was written. */
function placeMessage(draft: StoryDraft, messageId: number, state: MessageItem['state']): boolean {
  const message = draft.queue.find(({ id }) => id === messageId)
  if (!message) return false
  draft.queue = draft.queue.filter((other) => other !== message)
  draft.add({ ...message, state }, nameOf(messageId))
  return true
}

function edit(draft: StoryDraft, { messageId, content }: MessageEdit): void {
  if (content === null) placeMessage(draft, messageId, 'withdrawn')
  else
    draft.queue = draft.queue.map((message) =>
      message.id === messageId ? { ...message, text: content } : message,
    )
}

function acknowledge(draft: StoryDraft, { id: messageId, into }: Ack, { id, timestamp }: SeenEvent): void {
  const state = into === undefined ? 'taken' : 'joined'
  const isFirst = placeMessage(draft, messageId, state)
  const message = draft.find('message', nameOf(messageId))
  // A withdrawn message, or one whose turn is over, stays so (W29).
  if (!message || message.state === 'withdrawn' || message.state === 'over') return
  draft.endWords()
  draft.takenOn.set(messageId, {
    eventId: draft.takenOn.get(messageId)?.eventId ?? id,
    at: timestamp,
  })
  if (into === undefined) draft.turnSince = id
  if (isFirst) return
  if (message.state === 'taken' && into === undefined) {
    const notice = { kind: 'notice', level: 'warn', text: startsAgain, cuts: noCuts, until: null } as const
    draft.add({ ...notice, id, at: timestamp })
  }
  if (message.state !== state) draft.replace(nameOf(messageId), { ...message, state })
}

function endTurn(
  draft: StoryDraft,
  turn: TurnComplete,
  { id, timestamp, notification }: SeenEvent,
  view: RunView,
): void {
  const { messageId, stopReason, into } = turn
  placeMessage(draft, messageId, 'taken')
  const message = draft.find('message', nameOf(messageId))
  if (!message || message.state === 'over' || message.state === 'withdrawn') return
  draft.replace(nameOf(messageId), { ...message, state: 'over' })
  const usage = turnUsage(turn.usage)
  draft.costs.turn(turn.usage)
  draft.usage = { ...withTurn(draft.usage, usage), costUsd: draft.costs.usd }
  // A message into a running turn has no end of its own; if it was cancelled with the turn, it does not even name the turn.
  if (into !== undefined || (message.state === 'joined' && stopReason === 'cancelled')) return
  draft.endWords()
  draft.add({
    kind: 'turn-end',
    id,
    at: timestamp,
    messageId,
    stopReason,
    startedAt: draft.takenOn.get(messageId)?.at ?? timestamp,
    usage,
    error: hideSandboxAddressesOrNull(
      asText(asObject(notification.params?.error).message),
      view.place ?? draft.madeIn,
    ),
    raw: asText(asObject(notification.params?.error).raw),
  })
}

/** Messages that waited in the original run are not part of the fork (W39). */
export function dropQueue(draft: StoryDraft): void {
  for (const { id } of draft.queue) placeMessage(draft, id, 'withdrawn')
}

export const messageSteps: Steps = {
  user_message: addMessage,
  message_edit: edit,
  ack: acknowledge,
  turn_complete: endTurn,
}
