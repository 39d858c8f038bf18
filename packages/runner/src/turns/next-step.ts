import type { Orders } from '../orders/orders.ts'

export type TurnUnderWay = {
  messageId: number
  isCancelled: boolean
  /** What becomes of a message that wants to redirect it now: that depends on the agent, which may yet have to start. */
  steering: 'joins' | 'cancels' | 'waits'
  /** Messages that were said into it here. */
  joined: { has(messageId: number): boolean }
}

/** What this process has begun and not yet seen the end of. */
export type UnderWay = {
  generation: number
  /** The turn that was last begun here, until its end is in the log. */
  turn: TurnUnderWay | null
  /** Questions, tools and turns of which the end has been written and not yet read back. */
  ending: ReadonlySet<string>
}

export type Step =
  | { do: 'close' }
  /** Of an agent that is dead: nobody waits for the answer any more (W30). */
  | { do: 'supersede'; questionId: string }
  /** Of an agent that is dead (W29). */
  | { do: 'fail-tool'; toolCallId: string }
  /** A turn that was continued once and cut short again (W29). */
  | { do: 'interrupt'; messageId: number }
  | { do: 'end-turn'; messageId: number }
  | { do: 'cancel'; messageId: number }
  /** A message is said into the turn that is under way. */
  | { do: 'join'; messageId: number }
  /** A message is taken on: for the first time, or once more after its agent died. */
  | { do: 'begin'; messageId: number; isAgain: boolean }

/**
 * What a runner does next, from what the log says and what it is doing already; null if that is nothing. It has to
 * have read everything that was in the log when it began.
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
    // Of its own there is only what was to join a turn that was over before the agent had heard it.
    if (!isAgain && !orders.joined.has(messageId)) continue
    // It was cancelled when nobody was there to hear it.
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
  // While the run is paused nothing would begin in its place.
  const next = orders.view.status === 'paused' ? null : nextSteering(orders, joined)
  if (next === null || steering === 'waits') return null
  return steering === 'joins' ? { do: 'join', messageId: next } : { do: 'cancel', messageId }
}

/** What was said into a turn that is to be continued is continued with it. */
function isContinuedWithAnother(orders: Orders, messageId: number, ending: ReadonlySet<string>): boolean {
  const into = orders.joined.get(messageId)
  return into !== undefined && orders.isOpen(into) && !ending.has(String(into))
}

/** A cancel is for turns that were taken on before it; those that wait stay. */
function isCancelled({ acks, cancelledAt }: Orders, messageId: number): boolean {
  const ack = acks.get(messageId)
  return ack !== undefined && ack < cancelledAt
}

/** Who wants to redirect what is under way goes before those who wait for their turn. */
const nextMessage = (orders: Orders) => nextSteering(orders, nobody) ?? orders.view.unacked[0]?.[0] ?? null

const nobody = { has: () => false }

function nextSteering({ view, messages }: Orders, joined: TurnUnderWay['joined']): number | null {
  for (const portion of view.unacked)
    for (const id of portion) if (messages.get(id)?.when === 'steer' && !joined.has(id)) return id
  return null
}
