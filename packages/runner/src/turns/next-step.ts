import type { Orders } from '../orders/orders.ts'

export type TurnUnderWay = {
  messageId: number
  isCancelled: boolean
  /** What to do with a message that redirects the turn now. It depends on the agent, which may not have started yet. */
  steering: 'joins' | 'cancels' | 'waits'
  /** Messages that this runner has sent into the turn. */
  joined: { has(messageId: number): boolean }
}

/** What this runner has begun and whose end it has not read back yet. */
export type UnderWay = {
  generation: number
  /** The turn that this runner began last, until its end is in the log. */
  turn: TurnUnderWay | null
  /** Questions, tools and turns whose end is written and not yet read back. */
  ending: ReadonlySet<string>
}

export type Step =
  | { do: 'close' }
  /** A question of a dead agent: no agent waits for its answer any more (W30). */
  | { do: 'supersede'; questionId: string }
  /** A tool of a dead agent (W29). */
  | { do: 'fail-tool'; toolCallId: string }
  /** A turn that was continued once and cut off again (W29). */
  | { do: 'interrupt'; messageId: number }
  | { do: 'end-turn'; messageId: number }
  | { do: 'cancel'; messageId: number }
  /** A message is sent into the running turn. */
  | { do: 'join'; messageId: number }
  /** A turn begins: for the first time, or again after its agent died. */
  | { do: 'begin'; messageId: number; isAgain: boolean }

/**
 * A runner's next step, from the log and from its current work; null for none. The runner must have read everything
 * that was in the log when it began.
 */
export function nextStep(orders: Orders, { generation, turn, ending }: UnderWay): Step | null {
  const { view } = orders
  if (view.status === 'closed') return { do: 'close' }
  const isOfTheDead = (begun: number, eventId: number) =>
    begun < generation || eventId <= orders.inheritedUpTo
  for (const { questionId, generation: asked, eventId } of view.openQuestions) {
    if (isOfTheDead(asked, eventId) && !ending.has(questionId)) return { do: 'supersede', questionId }
  }
  for (const [toolCallId, begun] of orders.openTools) {
    if (begun < generation && !ending.has(toolCallId)) return { do: 'fail-tool', toolCallId }
  }
  if (view.closing) {
    const isLeft = ({ messageId, generation: begun }: (typeof view.openTurns)[number]) =>
      !ending.has(String(messageId)) && isOfTheDead(begun, orders.acks.get(messageId) ?? 0)
    const left = turn ? undefined : view.openTurns.find(isLeft)
    return left ? { do: 'end-turn', messageId: left.messageId } : { do: 'close' }
  }
  if (turn) return turn.isCancelled ? null : interruption(orders, turn)
  for (const { messageId, acks, generation: begun } of view.openTurns) {
    if (ending.has(String(messageId)) || isContinuedWithAnother(orders, messageId, ending)) continue
    const isAgain = isOfTheDead(begun, orders.acks.get(messageId) ?? 0)
    // Of this runner's own turns, only one case is left: a message for a turn that ended before the agent heard it.
    if (!isAgain && !orders.joined.has(messageId)) continue
    // It was cancelled while no runner was there.
    if (isCancelled(orders, messageId)) return { do: 'end-turn', messageId }
    if (acks > 1) return { do: 'interrupt', messageId }
    return view.status === 'paused' ? null : { do: 'begin', messageId, isAgain }
  }
  if (view.status === 'paused') return null
  const next = nextMessage(orders)
  return next === null ? null : { do: 'begin', messageId: next, isAgain: false }
}

function interruption(orders: Orders, { messageId, steering, joined }: TurnUnderWay): Step | null {
  if (isCancelled(orders, messageId)) return { do: 'cancel', messageId }
  // While the run is paused, no turn would begin in its place.
  const next = orders.view.status === 'paused' ? null : nextSteering(orders, joined)
  if (next === null || steering === 'waits') return null
  return steering === 'joins' ? { do: 'join', messageId: next } : { do: 'cancel', messageId }
}

/** A message that was sent into a turn is continued together with that turn. */
function isContinuedWithAnother(orders: Orders, messageId: number, ending: ReadonlySet<string>): boolean {
  const into = orders.joined.get(messageId)
  return into !== undefined && orders.isOpen(into) && !ending.has(String(into))
}

/** A cancel ends turns with an older ack; waiting messages stay. */
function isCancelled({ acks, cancelledAt }: Orders, messageId: number): boolean {
  const ack = acks.get(messageId)
  return ack !== undefined && ack < cancelledAt
}

/** Messages that redirect the turn go before those that wait in the queue. */
const nextMessage = (orders: Orders) =>
  nextSteering(orders, noneJoined) ?? orders.view.unacked[0]?.[0] ?? null

const noneJoined = { has: () => false }

function nextSteering({ view, messages }: Orders, joined: TurnUnderWay['joined']): number | null {
  for (const portion of view.unacked)
    for (const id of portion) if (messages.get(id)?.when === 'steer' && !joined.has(id)) return id
  return null
}
